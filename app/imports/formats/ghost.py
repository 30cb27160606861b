"""Ghost's members export (Members → Export): one row a member.

    id,email,name,note,subscribed_to_emails,complimentary_plan,stripe_customer_id,
    created_at,deleted_at,labels,tiers

Newer ones add `gift_id` and custom fields, older ones say `products` for tiers or stop at
`deleted_at`, and a file made for Ghost's own importer has fewer. Only the two columns that decide
whether somebody may be mailed must be there.

- `subscribed_to_emails` false is unsubscribed. Blank says nothing, so pending. A word that is
  neither yes nor no fails the row: a guess could mail somebody who left.
- `deleted_at` set is unsubscribed, whatever else the row says: who was deleted is not mailed, and
  the row stays, so that no other list brings them back unnoticed.
- Labels become tags. Tiers, complimentary plan, Stripe customer, id and all else go to `extra`
  under Ghost's names, for plans to find.
- A time that cannot be read loses nobody: it is kept in `extra`.
"""

from collections.abc import Mapping, Sequence

from app.base.addresses import AddressError, canonical
from app.imports.formats.cells import moment, names, one_line, without_guard, yes_or_no
from app.imports.rows import ImportedRow, State
from app.imports.uploads import RawRow
from app.readers import LONGEST_NAME

name = "ghost"
title = "Ghost members export"
required: tuple[str, ...] = ("email", "subscribed_to_emails")
columns: tuple[str, ...] = (
    *("id", "email", "name", "note", "subscribed_to_emails", "complimentary_plan", "stripe_customer_id"),
    *("created_at", "deleted_at", "labels", "tiers", "products", "gift_id", "import_tier"),
)
_READ = {"email", "name", "note", "subscribed_to_emails", "labels"}


def matches(headers: Sequence[str]) -> bool:
    """Whether a file with these columns is one."""
    return set(required) <= {header.casefold() for header in headers}


def read_row(raw: RawRow) -> ImportedRow:
    """One member. What is wrong with it comes back as its `problem`."""
    cells = {_known(header): without_guard(value) for header, value in raw.values.items()}
    written = cells.get("email", "").strip()
    person = one_line(cells.get("name", ""))
    joined = moment(cells.get("created_at", ""))
    state, unclear = _state(cells)
    email, refused = _email(written)
    problem = raw.problem or refused or unclear
    if not problem and len(person) > LONGEST_NAME:
        problem = f"The name is {len(person)} characters long; the most is {LONGEST_NAME}. Shorten it."
    used = _READ | {"created_at"} if joined else _READ
    return ImportedRow(
        number=raw.number,
        line=raw.line,
        email="" if problem else email,
        written=written,
        name=person,
        state=state,
        tags=names(cells.get("labels", "")),
        note=cells.get("note", "").strip(),
        joined_at=joined,
        extra={key: value for key, value in cells.items() if key not in used and value.strip()},
        problem=problem,
    )


def _known(header: str) -> str:
    """Ghost's own spelling of a column it has, any other as the file writes it."""
    folded = header.casefold()
    return folded if folded in columns else header


def _email(written: str) -> tuple[str, str | None]:
    if not written:
        return "", "This row has no address. Fill in its email, or leave the row out."
    try:
        return canonical(written), None
    except AddressError as error:
        return "", error.detail


def _state(cells: Mapping[str, str]) -> tuple[State, str | None]:
    said = cells.get("subscribed_to_emails", "").strip()
    subscribed = yes_or_no(said)
    if cells.get("deleted_at", "").strip():
        return "unsubscribed", None
    if subscribed is None:
        unclear = f"subscribed_to_emails is “{said[:40]}”. Write true or false." if said else None
        return "pending", unclear
    return ("active" if subscribed else "unsubscribed"), None
