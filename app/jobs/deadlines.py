"""When to give up on a handler: shortly before its lease ends, or it would keep its slot for ever (E10).

One timer for all handlers of a loop: a timer each (asyncio.timeout) took a fifth of the time of a job that
does nothing. The loop's own clock suffices: it only decides when to give up, never who may settle.
"""

import asyncio
from types import TracebackType


class Deadlines:
    """Ends the time of each task that has one, at most `late` seconds late."""

    def __init__(self, late: float) -> None:
        self._late = late
        self._watched: set[Deadline] = set()
        self._timer: asyncio.TimerHandle | None = None

    def within(self, seconds: float) -> "Deadline":
        """For a `with` in a task: what is inside may take so long from now on."""
        return Deadline(self, seconds)

    def watch(self, one: "Deadline") -> None:
        """From here on it may be over at any wait."""
        self._watched.add(one)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self._late, self._look)

    def forget(self, one: "Deadline") -> None:
        """Its task came to its end by itself."""
        self._watched.discard(one)

    def _look(self) -> None:
        loop, self._timer = asyncio.get_running_loop(), None
        now = loop.time()
        for one in [one for one in self._watched if one.at <= now]:
            self._watched.discard(one)
            one.cut()
        if self._watched:
            self._timer = loop.call_later(self._late, self._look)


class Deadline:
    """As asyncio.timeout: cancels the task it is entered in, and makes a TimeoutError of that at its exit."""

    __slots__ = ("_cancelling", "_deadlines", "_task", "at", "over")

    def __init__(self, deadlines: Deadlines, seconds: float) -> None:
        self._deadlines = deadlines
        self._task: asyncio.Task[object] | None = None
        self._cancelling = 0
        self.over = False
        self.move(seconds)

    def move(self, seconds: float) -> None:
        """So many seconds are left from now on."""
        self.at = asyncio.get_running_loop().time() + seconds

    def cut(self) -> None:
        """The time is over."""
        assert self._task is not None
        self.over = True
        self._task.cancel()

    def __enter__(self) -> "Deadline":
        self._task = asyncio.current_task()
        assert self._task is not None
        self._cancelling = self._task.cancelling()
        self._deadlines.watch(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._deadlines.forget(self)
        if self.over and self._task is not None:
            left = self._task.uncancel()
            if left <= self._cancelling and kind is asyncio.CancelledError:
                raise TimeoutError from error
