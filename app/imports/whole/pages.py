"""The studio's page of everything: what is in it, and the file itself."""

import asyncio
import tempfile
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import IO, Any

from litestar import Response, get
from litestar.response import Stream

from app.accounts import Desk
from app.answers import page
from app.base import clock
from app.imports.whole.collecting import export_everything

IN_MEMORY = 8 * 1024 * 1024
PIECE = 256 * 1024


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
    """The file: gathered first, then sent, so that no slow line keeps the database waiting."""
    file = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 - closed by whoever sends it
    try:
        async with desk.transaction() as tx:
            await export_everything(tx, file)
    except BaseException:
        file.close()
        raise
    name = f"{desk.account.slug}-{clock.now():%Y-%m-%d}.zip"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return Stream(_pieces(file), media_type="application/zip", headers=headers)


async def _pieces(file: IO[bytes]) -> AsyncGenerator[bytes]:
    try:
        file.seek(0)
        while piece := await asyncio.to_thread(file.read, PIECE):
            yield piece
    finally:
        file.close()


HANDLERS: tuple[Any, ...] = (show_export, download_export)
