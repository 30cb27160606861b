"""Now, for what is shown and logged by this process.

No process's own clock decides anything: leases and deadlines use the database's
`clock_timestamp()`, what people schedule uses its `godwit_now()`. This one is for
dates in a mail's header, log lines and the like. Tests set it with `set_clock`.
"""

from collections.abc import Callable
from datetime import UTC, datetime


def _system() -> datetime:
    return datetime.now(UTC)


_read: Callable[[], datetime] = _system


def now() -> datetime:
    """The present instant, aware, in UTC."""
    return _read()


def set_clock(read: Callable[[], datetime] | None) -> None:
    """Read the time from `read` from here on; None brings the system's clock back."""
    global _read
    _read = read or _system
