"""Home: the studio's first page. One sentence says what is going on; the rest stands below as its proof."""

from typing import Any
from uuid import UUID

from litestar import Response, get
from litestar.response import Stream

from app.accounts import Desk
from app.answers import page, rendered
from app.broadcasts import Progress, live_response
from app.publishing.overview import overview


@get("/")
async def home(desk: Desk) -> Response[str]:
    """What is going on here, and what is still to do."""
    async with desk.transaction() as tx:
        shown = await overview(tx, desk.account, desk.url(), webhooks=desk.may("redeliver"))
    return page(
        "publishing/home.html",
        headers={"Cache-Control": "no-store"},
        shell=desk.shell("home"),
        page=shown,
    )


@get("/live/{broadcast_id:uuid}")
async def live(desk: Desk, broadcast_id: UUID) -> Stream:
    """The stream that repaints the sentence and the bar while an email goes out."""
    studio, zone = desk.url(), desk.account.zone

    def draw(progress: Progress) -> str:
        return rendered("publishing/_going.html", progress=progress, studio=studio, zone=zone)

    return await live_response(desk, broadcast_id, draw)


HANDLERS: tuple[Any, ...] = (home, live)
