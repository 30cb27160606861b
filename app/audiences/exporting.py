"""The readers that a filter finds as CSV, read and written slice by slice: no file of it lies about here.

A whole export has the same table. It comes back by Readers → Import as it went (the format `godwit` there):
each newsletter with the state in it, why an address is blocked, tags that hold commas.
"""

import csv
import io
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import astuple, dataclass

from app.answers import guarded, iso
from app.audiences.criteria import ReaderFilter
from app.audiences.listing import readers_found
from app.base.database import Tx
from app.readers import ReaderView

SLICE = 1_000
COLUMNS = ("email", "name", "state", "newsletters", "blocked", "tags", "note", "source", "joined_at")
_BLOCKED = "select address, reason from suppression where address = any (cast(:addresses as text[]))"

Open = Callable[[], AbstractAsyncContextManager[Tx]]


@dataclass(frozen=True)
class ReaderRow:
    """A reader in the table, in the order of its columns.

    `newsletters`: slug → state; `blocked`: the reason, or ''.
    """

    email: str
    name: str
    state: str
    newsletters: Mapping[str, str]
    blocked: str
    tags: Sequence[str]
    note: str
    source: str
    joined_at: str


async def csv_lines(transaction: Open, wanted: ReaderFilter) -> AsyncGenerator[str]:
    """A head, then a line a reader, newest first; each slice is a transaction of its own."""
    yield _lines([COLUMNS])
    place = None
    while True:
        async with transaction() as tx:
            found = await readers_found(tx, wanted, older=place, limit=SLICE)
            rows = await tx.rows(_BLOCKED, addresses=[one.email for one in found])
        if found:
            blocked = {row.address: row.reason for row in rows}
            yield _lines([reader_cells(_row(one, blocked.get(one.email, ""))) for one in found])
            place = (found[-1].joined_at, found[-1].id)
        if len(found) < SLICE:
            return


def reader_cells(row: ReaderRow) -> list[str]:
    """The cells of a row; none can be run as a formula."""
    newsletters = ", ".join(f"{slug}: {state}" for slug, state in row.newsletters.items())
    cells = {"newsletters": newsletters, "tags": _listed(row.tags)}
    told = zip(COLUMNS, astuple(row), strict=True)
    return [guarded(cells.get(column, str(value))) for column, value in told]


def _row(reader: ReaderView, blocked: str) -> ReaderRow:
    newsletters = {one.slug: one.state for one in reader.subscriptions}
    return ReaderRow(
        *(reader.email, reader.name, reader.state, newsletters, blocked),
        *(reader.tags, reader.note, reader.source, iso(reader.joined_at)),
    )


def _listed(tags: Sequence[str]) -> str:
    """Joined by commas; all in quotes where one holds what would cut it in two."""
    plain = all(tag == tag.strip() and not set(tag) & set(",;\"'[") for tag in tags)
    return ", ".join(tags) if plain else ", ".join('"' + tag.replace('"', '""') + '"' for tag in tags)


def _lines(rows: Sequence[Sequence[str]]) -> str:
    written = io.StringIO()
    csv.writer(written).writerows(rows)
    return written.getvalue()
