"""How one cell of an export is read, the same in every format."""

import csv
import re
from datetime import UTC, datetime

import msgspec

_GUARD = re.compile(r"'(?='*[=+\-@\t\r])")
_YES = {"true", "yes", "y", "1", "t"}
_NO = {"false", "no", "n", "0", "f"}
_DAYS = ("%Y/%m/%d", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%d.%m.%Y")
"""Days as people write them; none in which day and month could be mistaken for each other."""


def without_guard(cell: str) -> str:
    """Takes off the `'` that exporters put before = + - @ so that no spreadsheet runs the cell."""
    return cell[1:] if _GUARD.match(cell) else cell


def one_line(cell: str) -> str:
    """Trimmed, with every run of space and line breaks made one space."""
    return " ".join(cell.split())


def yes_or_no(cell: str) -> bool | None:
    """None where it is neither."""
    word = cell.strip().lower()
    return True if word in _YES else False if word in _NO else None


def names(cell: str, separators: str = ",") -> tuple[str, ...]:
    """A joined list, each name once (capitals do not tell two apart), in order."""
    return _once(re.split(f"[{re.escape(separators)}]", cell))


def quoted_names(cell: str) -> tuple[str, ...]:
    """A list within one cell: JSON, or names in quotes of their own (`"A","B, C"`), or joined by commas."""
    text = cell.strip()
    if text.startswith("["):
        try:
            return _once([str(one) for one in msgspec.json.decode(text, type=list[str])])
        except msgspec.DecodeError:
            pass
    return _once(next(csv.reader([text], skipinitialspace=True), []) if '"' in text else text.split(","))


def full_name(first: str, last: str) -> str:
    """Both on one line; whichever there is."""
    return one_line(f"{first} {last}")


def _once(parts: list[str]) -> tuple[str, ...]:
    found: dict[str, str] = {}
    for part in parts:
        if name := one_line(without_guard(part.strip())):
            found.setdefault(name.casefold(), name)
    return tuple(found.values())


def moment(cell: str) -> datetime | None:
    """An ISO 8601 time or a day in words, UTC where it names no zone; None past 1970 to 2199, or neither."""
    text = re.sub(r"\s+UTC$", "+00:00", cell.strip())
    at = _iso(text) or next((day for form in _DAYS if (day := _day(text, form))), None)
    return at if at and 1970 <= at.year < 2200 else None


def _iso(text: str) -> datetime | None:
    try:
        at = datetime.fromisoformat(text)
        return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _day(text: str, form: str) -> datetime | None:
    try:
        return datetime.strptime(text, form).replace(tzinfo=UTC)
    except ValueError:
        return None
