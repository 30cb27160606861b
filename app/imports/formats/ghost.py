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
- Who has a Stripe customer, a complimentary plan or a gift may read what the tiers open ("Paid" where none is
  named): a paying reader must not stand before a locked door while payments are not connected yet.
- A time that cannot be read loses nobody: it is kept in `extra`.
"""

from collections.abc import Mapping, Sequence

from app.imports.formats.cells import names, yes_or_no
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

name = "ghost"
title = "Ghost members export"
required: tuple[str, ...] = ("email", "subscribed_to_emails")
columns: tuple[str, ...] = (
    *("id", "email", "name", "note", "subscribed_to_emails", "complimentary_plan", "stripe_customer_id"),
    *("created_at", "deleted_at", "labels", "tiers", "products", "gift_id", "import_tier"),
)
_READ = frozenset({"email", "name", "note", "subscribed_to_emails", "labels"})
_JOINED = frozenset({"created_at"})


def matches(headers: Sequence[str]) -> bool:
    """Whether a file with these columns is one."""
    return has(headers, *required)


def read_row(raw: RawRow) -> ImportedRow:
    """One member. What is wrong with it comes back as its `problem`."""
    cells = cells_of(raw, columns)
    person = Person(
        email=cells.get("email", ""),
        standing=_standing(cells),
        used=_READ,
        name=cells.get("name", ""),
        tags=names(cells.get("labels", "")),
        note=cells.get("note", ""),
        joined=cells.get("created_at", ""),
        joined_columns=_JOINED,
        paid=_paid(cells),
    )
    return imported(raw, cells, person)


def _standing(cells: Mapping[str, str]) -> Standing:
    said = cells.get("subscribed_to_emails", "").strip()
    subscribed = yes_or_no(said)
    if cells.get("deleted_at", "").strip():
        return UNSUBSCRIBED
    if subscribed is None:
        if not said:
            return SAYS_NOTHING
        return Standing(problem=f"subscribed_to_emails is “{said[:40]}”. Write true or false.")
    return ACTIVE if subscribed else UNSUBSCRIBED


def _paid(cells: Mapping[str, str]) -> tuple[PaidFor, ...]:
    customer, gift = cells.get("stripe_customer_id", "").strip(), cells.get("gift_id", "").strip()
    complimentary = yes_or_no(cells.get("complimentary_plan", "")) is True
    if not (customer or gift or complimentary) or cells.get("deleted_at", "").strip():
        return ()
    tiers = names(cells.get("tiers", "") or cells.get("products", "") or cells.get("import_tier", ""))
    reference = customer or gift or "ghost: complimentary"
    reason = "paid in Ghost" if customer else "a gift in Ghost" if gift else "complimentary in Ghost"
    return tuple(PaidFor(tier, reference, reason) for tier in tiers or ("Paid",))
