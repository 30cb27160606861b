"""The readers that a filter finds as CSV, read and written slice by slice: no file of it lies about here."""

import csv
import io
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager

from app.answers import iso
from app.audiences.criteria import ReaderFilter
from app.audiences.listing import readers_found
from app.base.database import Tx
from app.readers import ReaderView

SLICE = 1_000
COLUMNS = ("email", "name", "state", "newsletters", "tags", "note", "source", "joined_at")
#: A cell that begins so is a formula to a spreadsheet: whoever signed up with such a name must not run one.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")

Open = Callable[[], AbstractAsyncContextManager[Tx]]


async def csv_lines(transaction: Open, wanted: ReaderFilter) -> AsyncGenerator[str]:
    """A head, then a line a reader, newest first; each slice is a transaction of its own."""
    yield _lines([COLUMNS])
    place = None
    while True:
        async with transaction() as tx:
            found = await readers_found(tx, wanted, older=place, limit=SLICE)
        if found:
            yield _lines([_row(one) for one in found])
            place = (found[-1].joined_at, found[-1].id)
        if len(found) < SLICE:
            return


def _row(reader: ReaderView) -> tuple[str, ...]:
    texts = (
        reader.email,
        reader.name,
        reader.state,
        ",".join(reader.newsletters),
        ",".join(reader.tags),
        reader.note,
        reader.source,
        iso(reader.joined_at),
    )
    return tuple(f"'{text}" if text.startswith(_FORMULA) else text for text in texts)


def _lines(rows: list[tuple[str, ...]]) -> str:
    written = io.StringIO()
    csv.writer(written).writerows(rows)
    return written.getvalue()
