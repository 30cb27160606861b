"""A whole file read: its format found, its rows made neutral, second rows of an address marked."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from app.imports.formats.registry import Format, format_for
from app.imports.rows import Block, ImportedRow, State
from app.imports.uploads import Upload, open_upload

#: A complaint is the last word: nobody but the reader lifts it.
_STRICTNESS = {"unsubscribed": 1, "suppressed": 2, "complaint": 3}


@dataclass(frozen=True)
class Reading:
    """A file that can be imported."""

    format: str
    encoding: str
    delimiter: str
    headers: tuple[str, ...]
    lines: int
    """About how many lines the file has: `row.line / lines` is how far the reading is."""
    rows: Iterator[ImportedRow]
    """Every row once, in the file's order. To be gone through once."""


def read(
    data: bytes, format: str = "auto", mapping: Mapping[str, str] | None = None, newsletter: str = ""
) -> Reading:
    """Opens a file of readers. Rows are read as they are asked for.

    `mapping` says what the columns of a CSV of no known format mean; `newsletter` is the slug that the
    readers come into, for files that tell several apart. Raises UploadError where the whole file cannot be
    used; a row's fault is its `problem`.
    """
    upload = open_upload(data)
    known = format_for(format, upload.headers, mapping, newsletter)
    rows = _rows(upload, known)
    return Reading(known.name, upload.encoding, upload.delimiter, upload.headers, upload.lines, rows)


def count_rows(data: bytes) -> int:
    """How many rows the file has. Raises UploadError."""
    return sum(1 for _ in open_upload(data).rows())


def _rows(upload: Upload, known: Format) -> Iterator[ImportedRow]:
    """Keeps only each address, the number of its first good row, and who left."""
    left = _leavers(upload, known)
    first: dict[str, int] = {}
    for raw in upload.rows():
        row = known.read_row(raw)
        if row.problem is None:
            before = first.setdefault(row.email, row.number)
            if before != row.number:
                same = f"Row {before} has the same address. Nothing was added from this one."
                row = replace(row, problem=same, duplicate_of=before)
            elif row.email in left:
                state, block = left[row.email]
                row = replace(row, state=state, block=block, says_nothing=False)
        yield row


def _leavers(upload: Upload, known: Format) -> dict[str, tuple[State, Block]]:
    """Who left or is blocked by any row: by that, whatever the other rows of the address say (F2)."""
    found: dict[str, tuple[State, Block]] = {}
    for raw in upload.rows():
        row = known.read_row(raw)
        if row.problem is None and _strictness(row.state, row.block) > _strictness(
            *found.get(row.email, ("active", "bounce"))
        ):
            found[row.email] = (row.state, row.block)
    return found


def _strictness(state: State, block: Block) -> int:
    return _STRICTNESS.get(block if state == "suppressed" and block == "complaint" else state, 0)
