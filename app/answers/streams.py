"""A live region: its fragment again whenever it shows something else.

Server-sent events as htmx 4 takes them: a message without a name repaints the region, `done` says
that nothing more will come (a stream that merely ends is opened again), a comment keeps it awake.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any, Protocol, TypeVar

from litestar.response import Stream

from app.base.errors import Unavailable

#: Seconds between two looks at the database; no transaction is open in between.
LOOK = 0.4
#: Seconds of silence after which a comment is sent.
BEAT = 15.0
#: Seconds after which a stream ends: the browser comes back, and is asked again who it is.
LONGEST = 600.0

_DONE = "event: done\ndata: done\n\n"
_BEAT = ": beat\n\n"


class Reading(Protocol):
    """What a live region shows, as it was read once. `version` only grows; `live`: more will come."""

    @property
    def version(self) -> int:
        """Of this reading."""
        ...

    @property
    def live(self) -> bool:
        """Whether it will change."""
        ...

    def shows_the_same(self, other: Any) -> bool:
        """Whether a page that shows `other` (None: nothing yet) need not be repainted."""
        ...


R = TypeVar("R", bound=Reading)


async def live_stream(look: Callable[[], Awaitable[R]], draw: Callable[[R], str]) -> Stream:
    """Answer with the stream. `look` reads, `draw` renders the one fragment.

    What the first look raises (NotFound) is raised: an answer of its own, not a stream.
    """
    await look()
    return Stream(
        _events(look, draw),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


async def _events(look: Callable[[], Awaitable[R]], draw: Callable[[R], str]) -> AsyncGenerator[str]:
    """The messages of one stream: the present state first, then each change."""
    loop = asyncio.get_running_loop()
    shown: R | None = None
    began = spoke = loop.time()
    while loop.time() - began < LONGEST:
        # Shielded: a visitor who leaves in the middle of a look does not cut a transaction in half.
        reading = await asyncio.shield(asyncio.ensure_future(_look(look, shown)))
        if reading is not None and not reading.shows_the_same(shown):
            yield message(draw(reading), reading.version)
            shown, spoke = reading, loop.time()
        elif loop.time() - spoke >= BEAT:
            yield _BEAT
            spoke = loop.time()
        if reading is not None and not reading.live:
            yield _DONE
            return
        await asyncio.sleep(LOOK)


async def _look(look: Callable[[], Awaitable[R]], shown: R | None) -> R | None:
    try:
        return await look()
    except Unavailable:
        return shown  # the page keeps what it shows until the database is back


def message(html: str, version: int) -> str:
    """One unnamed message; every line of the fragment is a line of data."""
    lines = "\n".join(f"data: {line}" for line in html.splitlines() if line.strip())
    return f"id: {version}\n{lines}\n\n"
