"""Buttondown's subscriber export; whoever exports chooses the columns.

    email_address (older: email), type (older: subscriber_type), creation_date, tags, metadata, notes, …

`type` says all: regular and the paying kinds get mail; unactivated has not confirmed; unsubscribed, removed,
paused left; undeliverable, complained and blocked are blocked. Who stopped paying (churned, past due) still
reads for free, but the word does not say that they still get mail, so they are pending.
"""

from collections.abc import Mapping, Sequence

from app.imports.formats.cells import quoted_names
from app.imports.formats.people import (
    ACTIVE,
    BOUNCED,
    COMPLAINED,
    PENDING,
    UNSUBSCRIBED,
    Person,
    Standing,
    cells_of,
    has,
    imported,
    standing_of,
)
from app.imports.rows import ImportedRow, PaidFor
from app.imports.uploads import RawRow

name = "buttondown"
title = "Buttondown subscriber export"
required: tuple[str, ...] = ("email_address", "type")
columns: tuple[str, ...] = (
    *("email_address", "email", "type", "subscriber_type", "creation_date", "tags", "metadata", "notes"),
    *("stripe_customer_id", "unsubscription_date", "undeliverability_date"),
)
_PAYING = ("premium", "gifted", "trialed", "churning")
_TYPES = {
    "regular": ACTIVE,
    **dict.fromkeys(_PAYING, ACTIVE),
    "unactivated": PENDING,
    "pastdue": PENDING,
    "unpaid": PENDING,
    "churned": PENDING,
    "paused": UNSUBSCRIBED,
    "unsubscribed": UNSUBSCRIBED,
    "removed": UNSUBSCRIBED,
    "disabled": UNSUBSCRIBED,
    "undeliverable": BOUNCED,
    "complained": COMPLAINED,
    "blocked": Standing("suppressed", block="by_hand"),
    "spammy": Standing("suppressed", block="by_hand"),
}
_READ = frozenset({"email_address", "email", "type", "subscriber_type", "tags", "notes"})


def matches(headers: Sequence[str]) -> bool:
    """Whether a file with these columns is one."""
    told = has(headers, "type") or has(headers, "subscriber_type")
    named = has(headers, "email_address") or has(headers, "email")
    own = ("subscriber_type", "creation_date", "unsubscription_date", "metadata", "secondary_id")
    return told and named and any(has(headers, one) for one in own)


def read_row(raw: RawRow) -> ImportedRow:
    """One subscriber. What is wrong with it comes back as its `problem`."""
    cells = cells_of(raw, columns)
    person = Person(
        email=cells.get("email_address", "") or cells.get("email", ""),
        standing=_standing(cells),
        used=_READ,
        tags=quoted_names(cells.get("tags", "")),
        note=cells.get("notes", ""),
        joined=cells.get("creation_date", ""),
        joined_columns=frozenset({"creation_date"}),
        paid=_paid(cells),
    )
    return imported(raw, cells, person)


def _type(cells: Mapping[str, str]) -> str:
    return (cells.get("type", "") or cells.get("subscriber_type", "")).strip()


def _standing(cells: Mapping[str, str]) -> Standing:
    said = standing_of(_type(cells), _TYPES, "type", "regular, unactivated, unsubscribed or undeliverable")
    if said.problem or said.state == "suppressed":
        return said
    if cells.get("undeliverability_date", "").strip():
        return BOUNCED
    return UNSUBSCRIBED if cells.get("unsubscription_date", "").strip() else said


def _paid(cells: Mapping[str, str]) -> tuple[PaidFor, ...]:
    kind = _type(cells).lower()
    if kind not in _PAYING:
        return ()
    reference = cells.get("stripe_customer_id", "").strip() or f"buttondown: {kind}"
    return (PaidFor("Paid", reference, f"{kind} in Buttondown"),)
