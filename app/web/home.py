"""The studio's first page: one sentence on what is going out, and what is still to do."""

from typing import Any

from litestar import Response, get

from app.accounts import Desk
from app.answers import page


@get("/")
async def home(desk: Desk) -> Response[Any]:
    """What is going on here."""
    return page("web/home.html", shell=desk.shell("home"), account=desk.account)


HANDLERS: tuple[Any, ...] = (home,)
