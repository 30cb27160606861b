"""Mailchimp's audience export: one file a state, told apart by the columns of how somebody left.

    subscribed    …,OPTIN_TIME,…,CONFIRM_TIME,…,LAST_CHANGED,LEID,EUID,NOTES,TAGS
    unsubscribed  …,UNSUB_TIME,UNSUB_CAMPAIGN_TITLE,…
    cleaned       …,CLEAN_TIME,CLEAN_CAMPAIGN_TITLE,…

Merge fields come first and are named as the audience names them (`Deine E-Mail Adresse`), so the address is
in the first column whose name speaks of mail, else in the first.

- `CLEAN_TIME` set: mail to them came back, the address is blocked. `UNSUB_TIME` set: unsubscribed.
- Without either, who opted in or confirmed at a time is subscribed. Who did neither never agreed to a
  newsletter (a shop's customer, say) and is pending.
"""

from collections.abc import Mapping, Sequence

from app.imports.formats.aliases import column_for
from app.imports.formats.cells import full_name, quoted_names
from app.imports.formats.people import (
    ACTIVE,
    BOUNCED,
    PENDING,
    SAYS_NOTHING,
    UNSUBSCRIBED,
    Person,
    Standing,
    cells_of,
    has,
    imported,
)
from app.imports.rows import ImportedRow
from app.imports.uploads import RawRow

name = "mailchimp"
title = "Mailchimp audience export"
required: tuple[str, ...] = ("email address", "leid", "euid")
columns: tuple[str, ...] = (
    *("OPTIN_TIME", "CONFIRM_TIME", "UNSUB_TIME", "CLEAN_TIME", "NOTES", "TAGS", "LEID", "EUID"),
    *("LAST_CHANGED", "MEMBER_RATING"),
)


def matches(headers: Sequence[str]) -> bool:
    """Whether a file with these columns is one; the merge fields may be called anything."""
    return has(headers, "leid", "euid") or has(headers, "member_rating", "optin_time")


def read_row(raw: RawRow) -> ImportedRow:
    """One contact. What is wrong with it comes back as its `problem`."""
    cells = cells_of(raw, columns)
    headers = tuple(cells)
    email = column_for("email", headers) or next((one for one in headers if "mail" in one.casefold()), "")
    email = email or (headers[0] if headers else "")
    first, last = column_for("first_name", headers) or "", column_for("last_name", headers) or ""
    joined = "OPTIN_TIME" if cells.get("OPTIN_TIME", "").strip() else "CONFIRM_TIME"
    person = Person(
        email=cells.get(email, ""),
        standing=_standing(cells),
        used=frozenset({email, first, last, "NOTES", "TAGS"}),
        name=full_name(cells.get(first, ""), cells.get(last, "")),
        tags=quoted_names(cells.get("TAGS", "")),
        note=cells.get("NOTES", ""),
        joined=cells.get(joined, ""),
        joined_columns=frozenset({joined}),
    )
    return imported(raw, cells, person)


def _standing(cells: Mapping[str, str]) -> Standing:
    if cells.get("CLEAN_TIME", "").strip():
        return BOUNCED
    if cells.get("UNSUB_TIME", "").strip():
        return UNSUBSCRIBED
    if "CLEAN_TIME" in cells or "UNSUB_TIME" in cells:
        return PENDING
    agreed = cells.get("CONFIRM_TIME", "").strip() or cells.get("OPTIN_TIME", "").strip()
    return ACTIVE if agreed else SAYS_NOTHING
