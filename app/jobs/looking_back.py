"""Since when what is ready may have been due: a claim begins there, and does not walk through all that died.

While somebody's old transaction is open, what it might still read cannot be cleared away, and whoever walks
through the ready from the first on meets all that were ready since. So that is done by a look of its own,
beside the claims, after every ring and every round of the timer: what it finds older than was known, such as
a job committed long after it was made, is claimed then. A claim never waits for a look; one that fails lets
claims walk through everything until another succeeds.
"""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from app.base.telemetry import Trouble

#: Before every job.
BEGINNING = datetime(1, 1, 1, tzinfo=UTC)
#: Seconds from the end of a look to the next; after one that took long so many times as long as it took.
LOOK, LOOK_PART = 0.5, 5.0
#: Seconds from a job's being made to its commit, within which it needs no look to be found.
LATE_COMMIT = 5.0


class LookingBack:
    """What one loop knows of its queue. `look` answers since when; `found`: that is longer ago than known."""

    def __init__(
        self, queue: str, look: Callable[[], Awaitable[datetime]], found: Callable[[], None]
    ) -> None:
        self.since = BEGINNING
        self._look = look
        self._found = found
        self._wanted = False
        self._under_way: asyncio.Task[None] | None = None
        self._trouble = Trouble(queue=queue)

    def ask(self) -> None:
        """Look, as soon as a look may be: what was committed before this is seen by it."""
        self._wanted = True
        if self._under_way is None:
            self._under_way = asyncio.create_task(self._looks())

    async def end(self) -> None:
        """No more looks."""
        if self._under_way is not None:
            self._under_way.cancel()
            await asyncio.wait([self._under_way])

    async def _looks(self) -> None:
        clock = asyncio.get_running_loop().time
        while self._wanted:
            self._wanted = False
            began = clock()
            await self._once()
            await asyncio.sleep(max(LOOK, LOOK_PART * (clock() - began)))
        self._under_way = None

    async def _once(self) -> None:
        before = self.since
        try:
            self.since = await self._look()
        except Exception as error:  # the next round repairs this one
            self._trouble.met("look_failed", error)
            self.since, self._wanted = BEGINNING, True
        else:
            self._trouble.over()
        if self.since < before:
            self._found()
