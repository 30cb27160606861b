"""Being asked to stop, for a process that waits on children."""

import os
import select
import signal
from types import FrameType, TracebackType
from typing import Any, Self

_ASKS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


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
