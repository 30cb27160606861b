"""The studio's page of everything: what is in it, and the file itself."""

from dataclasses import dataclass
from typing import Any

from litestar import Response, get
from litestar.response import Stream

from app.accounts import Desk
from app.answers import page
from app.base import clock
from app.base.errors import Unavailable
from app.imports.whole.making import Making, is_busy


@dataclass(frozen=True)
class ExportPage:
    """How much there is."""

    readers: int
    posts: int
    pictures: int
    file: str
    settings: str


_SIZES = """
select (select count(*) from reader) as readers, (select count(*) from post) as posts,
       (select count(*) from media) as pictures
"""


@get("/export", name="studio.export")
async def show_export(desk: Desk) -> Response[str]:
    """What the file will hold."""
    async with desk.transaction() as tx:
        row = await tx.row(_SIZES)
    assert row is not None
    shown = ExportPage(
        row.readers, row.posts, row.pictures, desk.url("export/everything.zip"), desk.url("settings")
    )
    return page("imports/export.html", shell=desk.shell("settings"), page=shown)


@get("/export/everything.zip")
async def download_export(desk: Desk) -> Stream:
    """The file, sent while it is made. Raises Unavailable while others are, or when it cannot begin."""
    if is_busy():
        raise Unavailable("Other exports are being made just now. Try again in a minute.")
    making = Making(desk.account.id, webhooks=desk.may("webhooks"))
    await making.begun()
    name = f"{desk.account.slug}-{clock.now():%Y-%m-%d}.zip"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return Stream(making.pieces(), media_type="application/zip", headers=headers)


HANDLERS: tuple[Any, ...] = (show_export, download_export)
