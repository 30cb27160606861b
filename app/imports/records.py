"""Rows of cells off lines of text, as the csv module reads them, and what it makes of broken ones."""

import csv
from collections import deque
from collections.abc import Iterator

LARGEST_FIELD = 1024 * 1024
"""Characters of one value."""
MOST_VALUES = 100_000
"""Of one line: no table is as wide, and each takes memory for itself."""
# One limit for the whole process, which is all the csv module knows.
csv.field_size_limit(max(csv.field_size_limit(), LARGEST_FIELD))


class Records:
    """Rows of cells off lines, with the line each begins on: `(line, cells, problem)`.

    A quote that never closes spoils only the line it opens on: reading goes on with the next.
    That stays linear. A quote left open runs to the first odd run of quotes, and only an odd run
    can open another, so no line is read more than twice.
    """

    def __init__(self, lines: Iterator[str], delimiter: str) -> None:
        self.lines = lines
        self.line = 0
        """Lines used so far."""
        self._delimiter = delimiter
        self._again: deque[str] = deque()
        self._used: list[str] = []

    def _feed(self) -> Iterator[str]:
        while True:
            line = self._again.popleft() if self._again else next(self.lines, None)
            if line is None:
                return
            self.line += 1
            self._used.append(line)
            if line.count(self._delimiter) > MOST_VALUES:
                raise csv.Error("too many values")
            yield line

    def __iter__(self) -> Iterator[tuple[int, list[str], str | None]]:
        reader = self._reader()
        while True:
            self._used.clear()
            begin = self.line + 1
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error:
                yield begin, *self._spoiled(begin)
                reader = self._reader()
            else:
                yield begin, cells, None

    def _reader(self) -> Iterator[list[str]]:
        return iter(csv.reader(self._feed(), delimiter=self._delimiter, skipinitialspace=True, strict=True))

    def _spoiled(self, begin: int) -> tuple[list[str], str]:
        """Gives back all lines but the first, and what can be read of that one."""
        first, *rest = self._used
        self._again.extendleft(reversed(rest))
        self.line = begin
        if first.count(self._delimiter) > MOST_VALUES:
            return [], f"Line {begin} has over {MOST_VALUES:,} values. Is this a table of readers?"
        if len(first) > LARGEST_FIELD:
            return [], f"A value on line {begin} is over {LARGEST_FIELD:,} characters long. Shorten it."
        cells = next(csv.reader([first.rstrip("\r\n")], delimiter=self._delimiter, skipinitialspace=True), [])
        return cells, (
            f"A quote that opens on line {begin} is not closed where its value ends."
            ' Close it, and write a quote inside a value twice ("").'
        )
