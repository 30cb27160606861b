"""Being asked to stop: for a process that waits on children, and for one in the midst of long work."""

import asyncio
import os
import select
import signal
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any, Self, TypeVar

_ASKS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
Told = TypeVar("Told")


class Stopped(KeyboardInterrupt):
    """We were asked to stop by `signum`, in the midst of work; `words` say where."""

    def __init__(self, signum: signal.Signals, words: str = "") -> None:
        super().__init__(f"Stopped by {signum.name}{words}.")
        self.signum = signum

    @property
    def status(self) -> int:
        """As a shell tells who was ended by a signal: 130 after Ctrl-C, 143 after SIGTERM."""
        return 128 + self.signum


class Signals:
    """Within it, SIGINT, SIGTERM and SIGHUP are counted instead of ending us, and `wait` wakes at once."""

    def __init__(self) -> None:
        self.asked = 0
        self._before: dict[signal.Signals, Any] = {}

    @property
    def stopping(self) -> bool:
        """Somebody asked us to stop."""
        return self.asked > 0

    @property
    def impatient(self) -> bool:
        """Somebody asked twice."""
        return self.asked > 1

    def __enter__(self) -> Self:
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._reader, False)
        os.set_blocking(self._writer, False)
        for signum in _ASKS:
            self._before[signum] = signal.signal(signum, self._count)
        self._before[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, lambda signum, frame: None)
        self._fd_before = signal.set_wakeup_fd(self._writer, warn_on_full_buffer=False)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        signal.set_wakeup_fd(self._fd_before)
        for signum, handler in self._before.items():
            signal.signal(signum, handler)
        os.close(self._reader)
        os.close(self._writer)

    def wait(self, seconds: float) -> None:
        """Sleep, but wake when asked to stop or when a child ends."""
        select.select([self._reader], [], [], seconds)
        try:
            os.read(self._reader, 512)
        except BlockingIOError:
            return

    def _count(self, signum: int, frame: FrameType | None) -> None:
        self.asked += 1


class Stoppable:
    """Within it the first SIGINT, SIGTERM or SIGHUP raises Stopped; later ones do not disturb clearing up.

    Whoever started us deaf to SIGHUP (nohup) is heeded.
    """

    def __init__(self) -> None:
        self.asked: signal.Signals | None = None
        self._cancel: Callable[[], object] | None = None
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        for signum in _ASKS:
            if signum != signal.SIGHUP or signal.getsignal(signum) is not signal.SIG_IGN:
                self._before[signum] = signal.signal(signum, self._stop)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for signum, handler in self._before.items():
            signal.signal(signum, handler)

    def run(self, begin: Callable[[], Coroutine[Any, Any, Told]]) -> Told:
        """`asyncio.run` of what `begin` answers, which is cancelled first and so clears up behind itself.

        Asked while a loop comes or goes, it is not torn out of it: the work is begun, and cancelled at once.
        """
        with self.later():
            return asyncio.run(self._cancellable(begin))

    @contextmanager
    def later(self) -> Iterator[None]:
        """Within it nothing is disturbed; Stopped is raised at its end."""
        self._cancel = lambda: None
        try:
            yield
        finally:
            self._cancel = None
            if self.asked is not None:
                raise Stopped(self.asked)

    async def _cancellable(self, begin: Callable[[], Coroutine[Any, Any, Told]]) -> Told:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None
        undisturbed, self._cancel = self._cancel, lambda: loop.call_soon_threadsafe(task.cancel)
        if self.asked is not None:
            task.cancel()
        try:
            return await begin()
        finally:
            self._cancel = undisturbed

    def _stop(self, signum: int, frame: FrameType | None) -> None:
        if self.asked is not None:
            return
        self.asked = signal.Signals(signum)
        if self._cancel is None:
            raise Stopped(self.asked)
        self._cancel()
