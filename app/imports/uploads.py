"""An uploaded file, from bytes to rows: which encoding, which delimiter, which columns.

What cannot be read as a table at all is one UploadError, whose `detail` says what the file seems
to be and what to do. What is wrong with one row is that row's `problem`: every row of the file
comes out once, in order, and none is dropped or takes its neighbours with it.

Memory stays flat: rows are decoded and read one at a time from the bytes given.
"""

import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from app.base.errors import Invalid
from app.imports.encodings import encoding_of
from app.imports.records import Records

LARGEST_FILE = 64 * 1024 * 1024
"""Bytes of one upload."""
MOST_ROWS = 1_000_000
MOST_COLUMNS = 1_000

_DELIMITERS = ",;\t|"
_SAMPLE = 20  # rows looked at to tell the delimiter
_UNREADABLE = re.compile("[\0\ud800-\udfff]")


class UploadError(Invalid):
    """The whole file cannot be used; `detail` says why and what to do instead."""


@dataclass(frozen=True, slots=True)
class RawRow:
    """One row as it stands in the file."""

    line: int
    """The line of the file, from 1, on which the row begins."""
    number: int
    """Its place among the rows, from 1; the header and blank lines are not counted."""
    values: dict[str, str]
    """By column, as `Upload.headers` names them; values past the last column as `column N`."""
    problem: str | None = None
    """Why it cannot be used; `values` then holds what could be read of it."""


@dataclass(frozen=True)
class Upload:
    """A file that can be read as a table. `rows()` may be called again: it reads from the start."""

    data: bytes
    encoding: str
    delimiter: str
    headers: tuple[str, ...]
    """Trimmed, in order, no two alike: a blank one is `column 3`, a second `email` is `email (2)`."""
    lines: int
    """About how many lines the file has, for showing progress by `RawRow.line`."""
    _begin: int

    def rows(self) -> Iterator[RawRow]:
        records = Records(_lines(self.data, self.encoding), self.delimiter)
        records.line = _skip(records.lines, self._begin)
        number = 0
        for line, cells, problem in records:
            if any(cell and not cell.isspace() for cell in cells) or problem:
                number += 1
                yield self._row(line, number, cells, problem)

    def _row(self, line: int, number: int, cells: Sequence[str], problem: str | None) -> RawRow:
        values = dict(zip(self.headers, cells, strict=False))
        shown = enumerate(cells[:MOST_COLUMNS], 1)
        surplus = [(place, cell) for place, cell in shown if place > len(self.headers) and cell]
        values.update((f"column {place}", cell) for place, cell in surplus)
        if problem is None and (surplus or len(cells) < len(self.headers) or len(cells) > MOST_COLUMNS):
            has, wants = _count(len(cells), "value"), _count(len(self.headers), "column")
            problem = (
                f"This row has {has}, the header {wants}."
                " Put quotes around values that hold the delimiter or a line break, and leave no value out."
            )
        whole = "".join(cells)
        if _UNREADABLE.search(whole):
            problem = problem or self._unreadable(values)
            values = {name: _UNREADABLE.sub("\ufffd", cell) for name, cell in values.items()}
        return RawRow(line, number, values, problem)

    def _unreadable(self, values: dict[str, str]) -> str:
        name = next(name for name, cell in values.items() if _UNREADABLE.search(cell))
        if "\0" in values[name]:
            return f"“{name}” holds a NUL character. Take it out."
        return f"“{name}” holds bytes that are not {self.encoding.upper()}. Save the file as CSV UTF-8."


def open_upload(data: bytes) -> Upload:
    """Finds encoding, delimiter and columns. Raises UploadError where the file cannot be used."""
    if len(data) > LARGEST_FILE:
        size = LARGEST_FILE // 1024 // 1024
        raise UploadError(f"The file is larger than {size} MB. Split it into smaller files.")
    if not data or data.isspace():
        raise UploadError("The file is empty. Export it again from where your readers are now.")
    try:
        encoding = encoding_of(data)
    except ValueError as error:
        raise UploadError(str(error)) from error
    named, skipped = _named_delimiter(data, encoding)
    delimiter = named or _likely_delimiter(data, encoding)
    headers, begin = _header(data, encoding, delimiter, skipped)
    lines = max(data.count(b"\n"), data.count(b"\r")) + 1
    upload = Upload(data, encoding, delimiter, headers, lines, begin)
    _refuse_none_or_too_many(upload)
    return upload


def _refuse_none_or_too_many(upload: Upload) -> None:
    if next(upload.rows(), None) is None:
        raise UploadError("The file has a header line and no rows below it, so there is nobody to import.")
    # Counting every row takes seconds: only where there are lines enough for it to matter.
    if upload.lines > MOST_ROWS and sum(1 for _ in upload.rows()) > MOST_ROWS:
        raise UploadError(f"The file has more than {MOST_ROWS:,} rows. Split it into smaller files.")


def _lines(data: bytes, encoding: str) -> Iterator[str]:
    """The lines with their ends, whichever of the three kinds; bad bytes come as lone surrogates."""
    utf16 = encoding.startswith("utf-16")
    stream = io.BytesIO(data[: len(data) - len(data) % 2] if utf16 else data)
    stream.seek(2 if utf16 and data[:2] in (b"\xff\xfe", b"\xfe\xff") else 0)
    codec = "utf-8-sig" if encoding == "utf-8" else encoding
    errors = "surrogatepass" if utf16 else "surrogateescape" if encoding == "utf-8" else "replace"
    return iter(io.TextIOWrapper(stream, codec, errors, newline=""))


def _skip(lines: Iterator[str], count: int) -> int:
    return sum(1 for _ in islice(lines, count))


def _named_delimiter(data: bytes, encoding: str) -> tuple[str | None, int]:
    """Excel's own first line, `sep=;`, and how many lines it takes."""
    first = next(_lines(data, encoding), "").strip("\r\n ").lower()
    return (first[4], 1) if re.fullmatch("sep=[,;\t|]", first) else (None, 0)


def _likely_delimiter(data: bytes, encoding: str) -> str:
    """Whichever cuts the first rows most evenly, then into most columns; a comma if none cuts any."""

    def evenness(delimiter: str) -> tuple[bool, float, int]:
        records = Records(_lines(data, encoding), delimiter)
        widths = [len(cells) for _, cells, _ in islice(records, _SAMPLE) if cells]
        header = widths[0] if widths else 0
        return header > 1, widths.count(header) / max(len(widths), 1), header

    return max(_DELIMITERS, key=evenness)


def _header(data: bytes, encoding: str, delimiter: str, skipped: int) -> tuple[tuple[str, ...], int]:
    """The column names, and how many lines the file has up to its first row."""
    records = Records(_lines(data, encoding), delimiter)
    records.line = _skip(records.lines, skipped)
    for line, cells, problem in records:
        if problem:
            raise UploadError(f"The header on line {line} cannot be read. {problem}")
        if any(cell.strip() for cell in cells):
            if any(_UNREADABLE.search(cell) for cell in cells):
                raise UploadError(f"The header on line {line} is not text. Save the file as CSV UTF-8.")
            if len(cells) > MOST_COLUMNS:
                raise UploadError(
                    f"The header on line {line} names {len(cells):,} columns; {MOST_COLUMNS:,} are taken."
                    " Leave out those that hold nothing about your readers."
                )
            return _named_columns(cells), records.line
    raise UploadError("The file holds nothing but blank lines. Export it again.")


def _named_columns(cells: Sequence[str]) -> tuple[str, ...]:
    names: list[str] = []
    taken: set[str] = set()
    copies: Counter[str] = Counter()
    for place, cell in enumerate(cells, 1):
        wanted = " ".join(cell.split()).strip("\ufeff\u200b ") or f"column {place}"
        name = wanted
        while name.casefold() in taken:
            copies[wanted.casefold()] += 1  # each number is tried once, however many columns share a name
            name = f"{wanted} ({copies[wanted.casefold()] + 1})"
        taken.add(name.casefold())
        names.append(name)
    return tuple(names)


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
