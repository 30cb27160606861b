"""A whole file read: its format found, its rows made neutral, second rows of an address marked."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from app.imports.formats.registry import Format, format_for
from app.imports.rows import ImportedRow
from app.imports.uploads import Upload, open_upload


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


def read(data: bytes, format: str = "auto") -> Reading:
    """Opens a file of readers. Rows are read as they are asked for.

    Raises UploadError where the whole file cannot be used; a row's fault is its `problem`.
    """
    upload = open_upload(data)
    known = format_for(format, upload.headers)
    rows = _rows(upload, known)
    return Reading(known.name, upload.encoding, upload.delimiter, upload.headers, upload.lines, rows)


def _rows(upload: Upload, known: Format) -> Iterator[ImportedRow]:
    """One pass; keeps only each address and the number of its first good row."""
    first: dict[str, int] = {}
    for raw in upload.rows():
        row = known.read_row(raw)
        if row.problem is None:
            before = first.setdefault(row.email, row.number)
            if before != row.number:
                same = f"Row {before} has the same address. Nothing was added from this one."
                row = replace(row, problem=same, duplicate_of=before)
        yield row
