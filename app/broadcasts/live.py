"""The live stream of a broadcast: its fragment again whenever it shows something else.

Server-sent events as htmx 4 takes them: a message without a name repaints the region, `done` says
that nothing more will come (a stream that merely ends is opened again), a comment keeps it awake.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from uuid import UUID

from litestar.response import Stream

from app.accounts import Desk
from app.base.errors import Unavailable
from app.broadcasts.progress import Progress, read_broadcast

#: Seconds between two looks at the database; no transaction is open in between.
LOOK = 0.4
#: Seconds of silence after which a comment is sent.
BEAT = 15.0
#: Seconds after which a stream ends: the browser comes back, and is asked again who it is.
LONGEST = 600.0

_DONE = "event: done\ndata: done\n\n"
_BEAT = ": beat\n\n"

Look = Callable[[], Awaitable[Progress]]
Draw = Callable[[Progress], str]


async def live_response(desk: Desk, broadcast_id: UUID, draw: Draw) -> Stream:
    """Answer with the stream; `draw` renders the one fragment. Raises NotFound: a 404, not a stream."""

    async def look() -> Progress:
        async with desk.transaction() as tx:
            return (await read_broadcast(tx, broadcast_id))[1]

    await look()
    return Stream(
        progress_events(look, draw),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


async def progress_events(look: Look, draw: Draw) -> AsyncGenerator[str]:
    """The messages of one stream: the present state first, then each change."""
    loop = asyncio.get_running_loop()
    shown: Progress | None = None
    began = spoke = loop.time()
    while loop.time() - began < LONGEST:
        # Shielded: a visitor who leaves in the middle of a look does not cut a transaction in half.
        progress = await asyncio.shield(asyncio.ensure_future(_look(look, shown)))
        if progress is not None and not progress.shows_the_same(shown):
            yield message(draw(progress), progress.version)
            shown, spoke = progress, loop.time()
        elif loop.time() - spoke >= BEAT:
            yield _BEAT
            spoke = loop.time()
        if progress is not None and not progress.live:
            yield _DONE
            return
        await asyncio.sleep(LOOK)


async def _look(look: Look, shown: Progress | None) -> Progress | None:
    try:
        return await look()
    except Unavailable:
        return shown  # the page keeps what it shows until the database is back


def message(html: str, version: int) -> str:
    """One unnamed message; every line of the fragment is a line of data."""
    lines = "\n".join(f"data: {line}" for line in html.splitlines() if line.strip())
    return f"id: {version}\n{lines}\n\n"
