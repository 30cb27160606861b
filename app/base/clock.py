"""Now, for what is shown and logged by this process.

No process's own clock decides anything: leases and deadlines use the database's
`clock_timestamp()`, what people schedule uses its `godwit_now()`. This one is for
dates in a mail's header, log lines and the like. Tests set it with `set_clock`; in
testing mode it follows the clock that `godwit_now()` reads (`rehearsal`).
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta


def _system() -> datetime:
    return datetime.now(UTC)


_read: Callable[[], datetime] = _system
_ahead = timedelta()


def now() -> datetime:
    """The present instant, aware, in UTC."""
    return _read() + _ahead


def set_clock(read: Callable[[], datetime] | None) -> None:
    """Read the time from `read` from here on; None brings the system's clock back."""
    global _read
    _read = read or _system


def set_ahead(ahead: timedelta) -> None:
    """Show the time so far ahead of the system's (testing mode)."""
    global _ahead
    _ahead = ahead
