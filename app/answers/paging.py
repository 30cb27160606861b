"""A page of a JSON list: how many, from where, and where the next one begins."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

from app.answers.cursors import Cursor
from app.answers.options import Option
from app.answers.requests import Request
from app.base.errors import Invalid, Problem

MOST, USUAL = 200, 50
PAGED = (
    Option("limit", f"How many, {USUAL} when left out.", numbers=(1, MOST)),
    Option("cursor", "Where the list goes on: the `next` of the page before."),
)
"""What every list may be asked."""
T = TypeVar("T")
Place = tuple[datetime | UUID | int | str, ...]


@dataclass(frozen=True)
class Paging:
    """What `?limit=` and `?cursor=` asked for. Read `limit` + 1 rows: it tells whether more follow."""

    limit: int
    cursor: str

    def after(self, *types: type) -> Any:
        """The place the list goes on from, a tuple of these types, or None at its beginning."""
        return Cursor.decode(self.cursor, *types) if self.cursor else None

    def cut(self, rows: Sequence[T], place: Callable[[T], Place]) -> tuple[Sequence[T], str | None]:
        """The rows of this page, and the cursor of the next one; `place` is the sort key of a row."""
        shown = rows[: self.limit]
        return shown, Cursor.encode(*place(shown[-1])) if len(rows) > self.limit else None


def paging_of(request: Request) -> Paging:
    """Raises Invalid for a limit outside 1 to 200."""
    given = request.query_params.get("limit", str(USUAL))
    if not (given.isascii() and given.isdigit() and len(given) < 5 and 1 <= int(given) <= MOST):
        raise Invalid([Problem("limit", f"The limit is a number from 1 to {MOST}.")])
    return Paging(int(given), request.query_params.get("cursor", ""))
