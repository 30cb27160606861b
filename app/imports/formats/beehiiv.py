"""beehiiv's subscriber export.

    email,First Name,Last Name,status,tier,created_at,stripe_customer_id,<Tier name> Tier…,unsubscribed_at
    Email,Status,Created At,Subscription Tier                                              (an older one)

- `status` active, inactive (they left) or pending; `unsubscribed_at` set is unsubscribed whatever it says.
- A tier that is not `free` lets them read the tiers marked Yes, or one by its own name.
- Custom fields appear as columns and are kept with the reader.
"""

from collections.abc import Mapping, Sequence

from app.imports.formats.cells import full_name, yes_or_no
from app.imports.formats.people import (
    ACTIVE,
    BOUNCED,
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

name = "beehiiv"
title = "beehiiv subscriber export"
required: tuple[str, ...] = ("email", "status", "tier")
columns: tuple[str, ...] = (
    *("email", "first name", "last name", "status", "tier", "subscription tier", "created_at", "created at"),
    *("stripe_customer_id", "unsubscribed_at"),
)
_STATUS = {
    "active": ACTIVE,
    "inactive": UNSUBSCRIBED,
    "unsubscribed": UNSUBSCRIBED,
    "pending": PENDING,
    "validating": PENDING,
    "needsattention": PENDING,
    "invalid": BOUNCED,
}
_READ = frozenset({"email", "first name", "last name", "status"})


def matches(headers: Sequence[str]) -> bool:
    """Whether a file with these columns is one."""
    return has(headers, "email", "status") and (
        has(headers, "tier") or has(headers, "subscription tier") or has(headers, "unsubscribed_at")
    )


def read_row(raw: RawRow) -> ImportedRow:
    """One subscriber. What is wrong with it comes back as its `problem`."""
    cells = cells_of(raw, columns)
    joined = "created_at" if "created_at" in cells else "created at"
    person = Person(
        email=cells.get("email", ""),
        standing=_standing(cells),
        used=_READ,
        name=full_name(cells.get("first name", ""), cells.get("last name", "")),
        joined=cells.get(joined, ""),
        joined_columns=frozenset({joined}),
        paid=_paid(cells),
    )
    return imported(raw, cells, person)


def _standing(cells: Mapping[str, str]) -> Standing:
    said = standing_of(cells.get("status", ""), _STATUS, "status", "active, inactive or pending")
    left = cells.get("unsubscribed_at", "").strip() and said.state != "suppressed" and not said.problem
    return UNSUBSCRIBED if left else said


def _paid(cells: Mapping[str, str]) -> tuple[PaidFor, ...]:
    tier = (cells.get("tier", "") or cells.get("subscription tier", "")).strip()
    if tier.casefold() in ("", "free"):
        return ()
    named = [
        header[: -len(" tier")]
        for header, value in cells.items()
        if header.casefold().endswith(" tier") and header not in columns and yes_or_no(value) is True
    ]
    reference = cells.get("stripe_customer_id", "").strip() or f"beehiiv: {tier}"
    return tuple(PaidFor(plan, reference, f"{tier} in beehiiv") for plan in named or (tier.capitalize(),))
