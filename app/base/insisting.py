"""Saying again what must not be forgotten, while the database is away."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from sqlalchemy.exc import DBAPIError

from app.base.database import in_words
from app.base.errors import Unavailable
from app.base.telemetry import log

T = TypeVar("T")
#: Seconds until it is said again: at first, then twice as long each time, at most.
FIRST, MOST = 0.2, 5.0
#: SQLSTATE classes that pass by themselves: connection, rollback, resources, locks, intervention, system.
_PASSING = ("08", "40", "53", "55", "57", "58")


async def insist(say: Callable[[], Awaitable[T]], *, until: float) -> T:
    """Do `say`, and again while the database is away, full or in the way, up to `until` (the loop's clock).

    Once at least, also past that time. It may have been committed although nobody was told: whoever insists
    says it by compare-and-set. Raises what the last try did, and at once what another try would not mend.
    """
    clock, wait, told = asyncio.get_running_loop(), FIRST, False
    while True:
        try:
            return await say()
        except (Unavailable, OSError, TimeoutError, DBAPIError) as error:
            left = until - clock.time()
            if left <= 0 or not _may_pass(error):
                raise
            if not told:
                log.warning("said_again", error=in_words(error))
        told = True
        await asyncio.sleep(min(wait, left))
        wait = min(2 * wait, MOST)


def _may_pass(error: Exception) -> bool:
    """Whether saying it again may help."""
    if isinstance(error, DBAPIError):
        return str(getattr(error.orig, "sqlstate", None) or "")[:2] in _PASSING
    return True
