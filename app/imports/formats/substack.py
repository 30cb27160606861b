"""Substack's subscriber lists, in the four layouts that are about.

    a  email,active_subscription,expiry,email_disabled,prefer_digests,created_at
    b  email,active_subscription,expiry,plan,email_disabled,created_at,first_payment_at
    c  Email,Name,Stripe plan,Cancel date,Start date,Paid upgrade date,Activity,Type[,…]
    d  email,expiry,email_disabled,prefer_digests,stripe_connected_customer_id,type

- `email_disabled` true is unsubscribed, false is subscribed. Layout c (the dashboard's) does not say who gets
  mail, so its rows are pending; `Type` may say that somebody left.
- Who pays, was given a subscription or bought in the app may read "Paid" until `expiry`. An expiry in the
  22nd century is how Substack writes for ever.
- `…@deletion-request.substack.com` stands for a person who asked to be deleted: left out.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime

from app.imports.formats.cells import moment, yes_or_no
from app.imports.formats.people import (
    ACTIVE,
    SAYS_NOTHING,
    UNSUBSCRIBED,
    Person,
    Standing,
    cells_of,
    has,
    imported,
)
from app.imports.rows import ImportedRow, PaidFor
from app.imports.uploads import RawRow

name = "substack"
title = "Substack subscriber list"
required: tuple[str, ...] = ("email", "active_subscription", "email_disabled")
columns: tuple[str, ...] = (
    *("email", "name", "active_subscription", "expiry", "plan", "email_disabled", "prefer_digests"),
    *("created_at", "first_payment_at", "stripe plan", "cancel date", "start date", "paid upgrade date"),
    *("activity", "type", "stripe_connected_customer_id"),
)
_READ = frozenset({"email", "name", "email_disabled"})
_PAYING = {"paid", "comp", "gift", "ios_app", "founding", "lifetime", "group"}
_DELETED = "@deletion-request.substack.com"
_FOR_EVER = 2100


def matches(headers: Sequence[str]) -> bool:
    """Whether a file with these columns is one, in any of its layouts."""
    return (
        has(headers, "email", "active_subscription")
        or has(headers, "email", "email_disabled")
        or has(headers, "email", "stripe plan", "type")
    )


def read_row(raw: RawRow) -> ImportedRow:
    """One subscriber. What is wrong with it comes back as its `problem`."""
    cells = cells_of(raw, columns)
    email = cells.get("email", "")
    gone = "This person asked Substack to delete them, so nothing was added."
    joined = "created_at" if cells.get("created_at", "").strip() else "start date"
    person = Person(
        email=email,
        standing=_standing(cells),
        used=_READ,
        name=cells.get("name", ""),
        joined=cells.get(joined, ""),
        joined_columns=frozenset({joined}),
        paid=_paid(cells),
        left_out=gone if email.strip().lower().endswith(_DELETED) else None,
    )
    return imported(raw, cells, person)


def _standing(cells: Mapping[str, str]) -> Standing:
    said = cells.get("email_disabled", "").strip()
    disabled = yes_or_no(said)
    if disabled is not None:
        return UNSUBSCRIBED if disabled else ACTIVE
    if said:
        return Standing(problem=f"email_disabled is “{said[:40]}”. Write true or false.")
    left = cells.get("type", "").strip().lower() in ("unsubscribed", "removed", "disabled")
    return UNSUBSCRIBED if left else SAYS_NOTHING


def _paid(cells: Mapping[str, str]) -> tuple[PaidFor, ...]:
    kind = (cells.get("type", "") or cells.get("plan", "")).strip().lower()
    paying = yes_or_no(cells.get("active_subscription", ""))
    if paying is None:
        paying = kind in _PAYING or kind.startswith("paid")
    if not paying:
        return ()
    ends = moment(cells.get("expiry", ""))
    if ends and ends.year >= _FOR_EVER:
        ends = None
    customer = cells.get("stripe_connected_customer_id", "").strip()
    return (
        PaidFor(
            plan="Paid",
            reference=customer or f"substack: {kind or 'paid'}",
            reason=f"{kind or 'paid'} in Substack",
            starts_at=_started(cells, ends),
            ends_at=ends,
        ),
    )


def _started(cells: Mapping[str, str], ends: datetime | None) -> datetime | None:
    columns = ("first_payment_at", "paid upgrade date", "start date", "created_at")
    began = next((at for name in columns if (at := moment(cells.get(name, "")))), None)
    return min(began, ends) if began and ends else began or ends
