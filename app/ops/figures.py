"""The whole in figures, as operators see it: read in two statements, and kept for a few seconds.

However many look (Prometheus, open consoles), the database is asked once in `KEPT` seconds a process.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from app.base.database import Database, Tx
from app.base.settings import settings
from app.base.statements import sql
from app.ops.presence import Worker, workers

#: Seconds that a reading is shown again.
KEPT = 5.0
T = TypeVar("T")


@dataclass(frozen=True)
class Figures:
    """What `figures.sql` says, by name: rows of (one, two, n)."""

    rows: dict[str, list[tuple[str, str, float]]]
    workers: tuple[Worker, ...]

    def of(self, name: str) -> list[tuple[str, str, float]]:
        """The rows of one figure; none where there is nothing."""
        return self.rows.get(name, [])

    def alone(self, name: str) -> float:
        """A figure without labels."""
        return next((n for _, _, n in self.of(name)), 0.0)


async def read_figures(tx: Tx) -> Figures:
    """As they are now. As an operator."""
    rows: list[Any] = await tx.rows(sql(__package__, "figures"))
    found: dict[str, list[tuple[str, str, float]]] = {}
    for name, one, two, n in rows:
        found.setdefault(name, []).append((one, two, n))
    return Figures(found, tuple(await workers(tx)))


class Kept(Generic[T]):
    """What `read` answers, at most so many seconds old; who comes while it is read waits for that reading."""

    def __init__(self, read: Callable[[Tx], Awaitable[T]], seconds: float = KEPT) -> None:
        self._read, self._seconds = read, seconds
        self._lock = asyncio.Lock()
        self._found: tuple[Database, float, T] | None = None

    async def get(self, operators: Database) -> T:
        """The reading; in testing mode always a fresh one, since testers change what it shows."""
        async with self._lock:
            if self._found and self._found[0] is operators and time.monotonic() < self._found[1]:
                return self._found[2]
            async with operators.transaction() as tx:
                value = await self._read(tx)
            seconds = 0.0 if settings().mode == "testing" else self._seconds
            self._found = (operators, time.monotonic() + seconds, value)
            return value


figures = Kept(read_figures)
