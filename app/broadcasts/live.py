"""The live stream of a broadcast: its fragment again whenever it shows something else."""

from collections.abc import Callable
from uuid import UUID

from litestar.response import Stream

from app.accounts import Desk
from app.answers import live_stream
from app.broadcasts.progress import Progress, read_broadcast


async def live_response(desk: Desk, broadcast_id: UUID, draw: Callable[[Progress], str]) -> Stream:
    """Answer with the stream; `draw` renders the one fragment. Raises NotFound: a 404, not a stream."""

    async def look() -> Progress:
        async with desk.transaction() as tx:
            return (await read_broadcast(tx, broadcast_id))[1]

    return await live_stream(look, draw)
