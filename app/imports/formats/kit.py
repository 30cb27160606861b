"""Kit's (ConvertKit's) subscriber export.

    first_name,email_address,state,created_at,tags,<custom fields>

Its header is not written down anywhere that can be relied on, so each column is known by several names.
`state`: active; inactive has not confirmed yet; cancelled left; bounced and complained are blocked.
"""

from collections.abc import Sequence

from app.imports.formats.aliases import column_for
from app.imports.formats.cells import full_name, quoted_names
from app.imports.formats.people import (
    ACTIVE,
    BOUNCED,
    COMPLAINED,
    PENDING,
    UNSUBSCRIBED,
    Person,
    cells_of,
    imported,
    standing_of,
)
from app.imports.rows import ImportedRow
from app.imports.uploads import RawRow

name = "kit"
title = "Kit subscriber export"
required: tuple[str, ...] = ("email_address", "state")
columns: tuple[str, ...] = ("email_address", "first_name", "state", "created_at", "tags")
_STATES = {
    "active": ACTIVE,
    "confirmed": ACTIVE,
    "inactive": PENDING,
    "unconfirmed": PENDING,
    "cancelled": UNSUBSCRIBED,
    "canceled": UNSUBSCRIBED,
    "unsubscribed": UNSUBSCRIBED,
    "bounced": BOUNCED,
    "complained": COMPLAINED,
}


def matches(headers: Sequence[str]) -> bool:
    """Whether a file with these columns is one."""
    folded = {header.casefold().replace(" ", "_") for header in headers}
    named = folded & {"email_address", "email"}
    return bool(named) and {"state", "created_at"} <= folded and bool(folded & {"first_name", "tags"})


def read_row(raw: RawRow) -> ImportedRow:
    """One subscriber. What is wrong with it comes back as its `problem`."""
    cells = cells_of(raw, columns)
    headers = tuple(cells)
    email, first, last, state, joined, tags = (
        column_for(field, headers) or ""
        for field in ("email", "first_name", "last_name", "state", "joined_at", "tags")
    )
    person = Person(
        email=cells.get(email, ""),
        standing=standing_of(cells.get(state, ""), _STATES, state, "active, inactive, cancelled or bounced"),
        used=frozenset({email, first, last, state, tags}),
        name=full_name(cells.get(first, ""), cells.get(last, "")),
        tags=quoted_names(cells.get(tags, "")),
        joined=cells.get(joined, ""),
        joined_columns=frozenset({joined}),
    )
    return imported(raw, cells, person)
