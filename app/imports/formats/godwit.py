"""Our own table of readers: what Readers → Download gives, and readers.csv of a whole export.

    email, name, state, newsletters, blocked, tags, note, source, joined_at

`newsletters` says where they stand with each, by its short name (`newsletter: active, field-notes: pending`):
one that is not named is not touched, so nobody comes into it by the file. `blocked` is why their address is.
`state` is their standing in all; where somebody wrote a stricter one there, it counts. `source` is for
people: who comes by a file has come by a file.
"""

import csv
from collections.abc import Mapping, Sequence

from app.imports.formats.cells import names, one_line
from app.imports.formats.people import (
    ACTIVE,
    PENDING,
    UNSUBSCRIBED,
    Person,
    Standing,
    cells_of,
    has,
    imported,
    standing_of,
)
from app.imports.formats.table import STATES
from app.imports.rows import Block, ImportedRow, Subscribed
from app.imports.uploads import RawRow

name = "godwit"
title = "Godwit table of readers"
required: tuple[str, ...] = ("email", "state", "newsletters", "joined_at")
columns: tuple[str, ...] = (
    *("email", "name", "state", "newsletters", "blocked", "tags", "note", "source", "joined_at"),
)
_STANDINGS: dict[str, Subscribed] = {"active": "active", "pending": "pending", "unsubscribed": "unsubscribed"}
_BLOCKS: dict[str, Block] = {
    "bounce": "bounce",
    "complaint": "complaint",
    "by_hand": "by_hand",
    "erased": "complaint",  # like it, only the reader's own confirm lifts that
}
_READ = frozenset(columns)


def matches(headers: Sequence[str]) -> bool:
    """Whether a file with these columns is one."""
    return has(headers, *required)


def read_row(raw: RawRow) -> ImportedRow:
    """One reader. What is wrong with it comes back as its `problem`."""
    cells = cells_of(raw, columns)
    said = standing_of(cells.get("state", ""), STATES, "state", "active, pending, unsubscribed or suppressed")
    newsletters, problem = _newsletters(cells.get("newsletters", ""), said)
    blocked = _blocked(cells.get("blocked", ""), said)
    person = Person(
        email=cells.get("email", ""),
        standing=Standing(problem=problem) if problem else blocked or _in_all(newsletters),
        used=_READ,
        name=cells.get("name", ""),
        tags=_tags(cells.get("tags", "")),
        note=cells.get("note", ""),
        joined=cells.get("joined_at", ""),
        joined_columns=frozenset({"joined_at"}),
        newsletters=newsletters,
    )
    return imported(raw, cells, person)


def _newsletters(cell: str, said: Standing) -> tuple[dict[str, Subscribed], str | None]:
    """The state in each newsletter named, or what is wrong with the cell.

    A name alone stands as the reader does; several without a state wait for a confirmation, since the file
    does not say which of them the state is about.
    """
    parts = [part.partition(":") for part in names(cell)]
    found: dict[str, Subscribed] = {}
    for slug, colon, word in parts:
        alone = _STANDINGS.get(said.state, "pending") if len(parts) == 1 else "pending"
        state = _STANDINGS.get(one_line(word).casefold()) if colon else alone
        if state is None or not slug.strip():
            told = one_line(f"{slug}{colon}{word}")[:60]
            return {}, f"newsletters has “{told}”. Write name: active, name: pending or name: unsubscribed."
        found[slug.strip()] = "unsubscribed" if said.state == "unsubscribed" else state
    if said.problem is None and said.state == "active" and not found:
        return {}, "state is active, but newsletters names none. Name those that they get."
    return found, said.problem


def _tags(cell: str) -> tuple[str, ...]:
    """Exactly as they were written: nothing but a comma outside of quotes divides them."""
    told = next(csv.reader([cell], skipinitialspace=True), [])
    return tuple(dict.fromkeys(tag.strip() for tag in told if tag.strip()))


def _blocked(cell: str, said: Standing) -> Standing | None:
    word = one_line(cell).casefold()
    if not word:
        return said if said.state == "suppressed" else None
    expected = "bounce, complaint or by_hand, or leave it blank"
    return (
        Standing("suppressed", block=_BLOCKS[word])
        if word in _BLOCKS
        else Standing(problem=f"blocked is “{one_line(cell)[:40]}”. Write {expected}.")
    )


def _in_all(newsletters: Mapping[str, Subscribed]) -> Standing:
    states = set(newsletters.values())
    return ACTIVE if "active" in states else PENDING if "pending" in states else UNSUBSCRIBED
