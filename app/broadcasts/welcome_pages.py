"""How a newsletter's welcome mail looks, by the renderer that sends it."""

from typing import Any

from litestar import Response, get

from app.accounts import Desk
from app.answers import framed_mail, page
from app.base.errors import NotFound
from app.broadcasts.welcomes import specimen
from app.messages import RenderedMessage
from app.readers import Newsletter, newsletter_by_slug


@get("/newsletters/{named:str}/welcome", name="studio.newsletter.welcome")
async def show(desk: Desk, named: str) -> Response[str]:
    """The mail to a reader with a name that is made up."""
    found, mail = await _rendered(desk, named)
    return page(
        "broadcasts/welcome.html",
        shell=desk.shell("settings"),
        newsletter=found,
        list_url=desk.url("newsletters"),
        url=desk.url(f"newsletters/{named}"),
        mail=mail,
    )


@get("/newsletters/{named:str}/welcome/body")
async def show_body(desk: Desk, named: str) -> Response[str]:
    """Its HTML alone."""
    return framed_mail((await _rendered(desk, named))[1].html or "")


async def _rendered(desk: Desk, named: str) -> tuple[Newsletter, RenderedMessage]:
    async with desk.transaction() as tx:
        found = await newsletter_by_slug(tx, named)
    if found is None or not found.welcome_markdown:
        raise NotFound("This newsletter has no welcome mail to look at.")
    return found, specimen(desk.account, found)


HANDLERS: tuple[Any, ...] = (show, show_body)
