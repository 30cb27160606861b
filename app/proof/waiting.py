"""Waiting for something to have happened, in steps too small to show in a figure."""

import asyncio
import time
from collections.abc import Awaitable, Callable

from app.base.errors import Unavailable

_STEP = 0.01
_LONGEST = 300.0


async def seconds_until(
    ask: Callable[[], Awaitable[bool]],
    what: str,
    *,
    since: float | None = None,
    step: float = _STEP,
    longest: float = _LONGEST,
) -> float:
    """Seconds from `since` (this process's monotonic clock; None: now) until the answer is yes.

    It is asked every `step` seconds, where asking costs what is measured. Raises Unavailable, naming `what`,
    when it is not within the `longest` time.
    """
    began = time.monotonic() if since is None else since
    while not await ask():
        if time.monotonic() - began > longest:
            raise Unavailable(f"Nothing could be measured: {what} did not come about in {longest:g} s.")
        await asyncio.sleep(step)
    return time.monotonic() - began
