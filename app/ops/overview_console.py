"""The console's first page, and its live stream."""

from typing import Any

from litestar import Response, get
from litestar.response import Stream

from app.accounts import Operator
from app.answers import live_stream, page, rendered
from app.ops.overview import Overview, overview

URL = "/console"


@get("/")
async def show_overview(operator: Operator) -> Response[Any]:
    """What lies in the queues, who works, what is unsure, who waits, what was given up."""
    shown = await overview.get(operator.database)
    said = {"flash": operator.flash, "who": operator.creator, "section": "overview"}
    fresh = {"Cache-Control": "no-store"}
    return page("console/overview.html", headers=fresh, page=shown, url=URL, **said)


@get("/live")
async def follow_overview(operator: Operator) -> Stream:
    """The same again, whenever it shows something else."""

    async def look() -> Overview:
        return await overview.get(operator.database)

    def draw(shown: Overview) -> str:
        return rendered("console/_overview.html", page=shown, url=URL)

    return await live_stream(look, draw)


HANDLERS: tuple[Any, ...] = (show_overview, follow_overview)
