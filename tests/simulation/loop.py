"""An event loop whose clock is virtual: it stands still while anybody can run, and moves when told to.

Sockets are real. Whenever nothing is ready the loop asks `idle`, which lets one step run, moves the clock, or
says for how many real seconds to wait for an answer of the database.
"""

import asyncio
import heapq
import selectors
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

#: What a task belongs to: a simulated process, or None for the simulation itself.
owner: ContextVar[Any] = ContextVar("owner", default=None)


class _Selector(selectors.DefaultSelector):
    """Asks the loop what to do when nothing is ready, instead of sleeping until a timer."""

    loop: "VirtualLoop"

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout == 0:
            return super().select(0)
        if found := super().select(0):
            return found
        wait = 0.05 if self.loop.idle is None else self.loop.idle()
        return [] if wait is None else super().select(wait)


class _Timer(asyncio.TimerHandle):
    """Of two for the same moment the older goes first: the heap knows no order among them."""

    number = 0

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, _Timer):
            return NotImplemented
        return (self.when(), self.number) < (other.when(), other.number)


class VirtualLoop(asyncio.SelectorEventLoop):
    """`idle` answers None when it made something ready or moved the clock, else real seconds to wait."""

    def __init__(self) -> None:
        selector = _Selector()
        selector.loop = self
        super().__init__(selector)
        self.now = 0.0
        self._timers = 0
        self.idle: Callable[[], float | None] | None = None
        self.set_task_factory(_made)

    def time(self) -> float:
        """Virtual seconds."""
        return self.now

    def call_at(self, when: float, callback: Callable[..., object], *args: Any, context: Any = None) -> Any:
        """As asyncio's."""
        self._timers += 1
        timer = _Timer(when, callback, args, self, context)
        timer.number = self._timers
        heapq.heappush(self._scheduled, timer)  # type: ignore[attr-defined]
        timer._scheduled = True  # type: ignore[attr-defined]
        return timer

    def begin_anew(self) -> None:
        """Second 0, and no timers: also those that were cancelled would decide which of two goes first."""
        self.now = 0.0
        self._scheduled.clear()  # type: ignore[attr-defined]
        self._timer_cancelled_count = 0

    def next_timer(self) -> float | None:
        """When the first of the timers is due that are still wanted."""
        return min((one.when() for one in self._scheduled if not one.cancelled()), default=None)  # type: ignore[attr-defined]


def _made(loop: asyncio.AbstractEventLoop, coro: Any, **how: Any) -> "asyncio.Task[Any]":
    task = asyncio.Task(coro, loop=loop, **how)
    context = how.get("context")
    process = owner.get() if context is None else context.get(owner)
    if process is not None:
        process.born += 1
        process.tasks[task] = process.born
        task.add_done_callback(lambda done: process.tasks.pop(done, None))
    return task
