"""Any CSV: its columns mean what somebody said they mean (the mapping), or what their names tell.

A mapping is field → column. `state` understands the words that lists use for it; a blank one says nothing,
and a word that is none of them fails its row. Without a state column the file says nothing of anybody:
pending, unless whoever imports states for the whole file that they agreed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.imports.formats.aliases import FIELDS, guessed
from app.imports.formats.cells import full_name, quoted_names, without_guard
from app.imports.formats.people import (
    ACTIVE,
    BOUNCED,
    COMPLAINED,
    PENDING,
    UNSUBSCRIBED,
    Person,
    imported,
    standing_of,
)
from app.imports.rows import ImportedRow
from app.imports.uploads import RawRow, UploadError

name = "csv"
title = "table of readers (CSV)"
required: tuple[str, ...] = ("email",)
columns: tuple[str, ...] = tuple(FIELDS)
STATES = {
    **dict.fromkeys(("active", "subscribed", "confirmed", "optedin", "optin", "enabled"), ACTIVE),
    **dict.fromkeys(("yes", "y", "true", "1", "on"), ACTIVE),
    **dict.fromkeys(("pending", "unconfirmed", "unactivated", "inactive", "notconfirmed"), PENDING),
    **dict.fromkeys(("unsubscribed", "unsubscribe", "optedout", "optout", "left", "removed"), UNSUBSCRIBED),
    **dict.fromkeys(("cancelled", "canceled", "disabled", "no", "n", "false", "0", "off"), UNSUBSCRIBED),
    **dict.fromkeys(("suppressed", "bounced", "bounce", "cleaned", "undeliverable", "invalid"), BOUNCED),
    **dict.fromkeys(("complained", "complaint", "spam", "abuse"), COMPLAINED),
}


@dataclass(frozen=True)
class Table:
    """A format made of a mapping."""

    mapping: Mapping[str, str]
    name: str = name
    title: str = title
    required: tuple[str, ...] = required
    columns: tuple[str, ...] = columns

    def matches(self, headers: Sequence[str]) -> bool:
        """Whether the file has the columns that the mapping names."""
        return "email" in self.mapping and set(self.mapping.values()) <= set(headers)

    def read_row(self, raw: RawRow) -> ImportedRow:
        """One reader. What is wrong with it comes back as its `problem`."""
        cells = {header: without_guard(value) for header, value in raw.values.items()}

        def told(field: str) -> str:
            return cells.get(self.mapping.get(field, ""), "")

        joined = self.mapping.get("joined_at", "")
        person = Person(
            email=told("email"),
            standing=standing_of(
                told("state"), STATES, self.mapping.get("state", ""), "subscribed or unsubscribed"
            ),
            used=frozenset(self.mapping.values()),
            name=told("name").strip() or full_name(told("first_name"), told("last_name")),
            tags=quoted_names(told("tags").replace(";", ",") if '"' not in told("tags") else told("tags")),
            note=told("note"),
            joined=told("joined_at"),
            joined_columns=frozenset({joined} if joined else ()),
        )
        return imported(raw, cells, person)


def table_of(headers: Sequence[str], mapping: Mapping[str, str] | None = None) -> Table:
    """The format of a mapping, or of what the column names tell.

    Raises UploadError for a mapping that names what is not there.
    """
    if mapping is None:
        return Table(guessed(headers))
    unknown = [column for column in mapping.values() if column not in headers]
    if unknown:
        raise UploadError(f"The file has no column “{unknown[0][:60]}”. Choose among those it has.")
    if "email" not in mapping:
        raise UploadError("Say which column holds the addresses.")
    twice = [column for column in mapping.values() if list(mapping.values()).count(column) > 1]
    if twice:
        raise UploadError(f"The column “{twice[0][:60]}” is chosen twice. Choose it once.")
    return Table(dict(mapping))
