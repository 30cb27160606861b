"""How one cell of an export is read, the same in every format."""

import re
from datetime import UTC, datetime

_GUARD = re.compile(r"'(?=[=+\-@\t\r])")
_YES = {"true", "yes", "y", "1", "t"}
_NO = {"false", "no", "n", "0", "f"}


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


def names(cell: str) -> tuple[str, ...]:
    """A comma-joined list, each name once (capitals do not tell two apart), in order."""
    found: dict[str, str] = {}
    for part in cell.split(","):
        if name := one_line(without_guard(part.strip())):
            found.setdefault(name.casefold(), name)
    return tuple(found.values())


def moment(cell: str) -> datetime | None:
    """An ISO 8601 time, UTC where it names no zone; None where it is no time from 1970 to 2100."""
    text = re.sub(r"\s+UTC$", "+00:00", cell.strip())
    try:
        at = datetime.fromisoformat(text)
        at = (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return at if 1970 <= at.year < 2100 else None
