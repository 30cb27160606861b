"""The web as a program, a creator and a reader meet it: the whole application, in this process."""

import contextlib
from collections.abc import AsyncIterator
from functools import cache
from typing import Any
from uuid import UUID

import httpx

from app.accounts import create_api_key, session_cookie, start_session
from app.base.database import Database
from app.base.settings import settings
from app.jobs import bell
from app.readers import ReaderView, find_reader
from tests.readers.mails import code_of
from tests.readers.makers import Place

STUDIO = "/studio/tidelines"


@cache
def _application() -> Any:
    """Made once a process: it takes half a second."""
    from app.web.asgi import Web  # what it imports reads the settings, which a test must have set

    return Web(settings())


@contextlib.asynccontextmanager
async def opened() -> AsyncIterator[Any]:
    """The application, with a pool of this test's own."""
    web = _application()
    database = Database.for_role("web")
    for part in (web.studio, web.site):
        part.state.database = database
    try:
        yield web
    finally:
        for part in (web.studio, web.site):
            if (editions := getattr(part.state, "editions", None)) is not None:
                await editions.reading.close()
        await database.close()
        await bell.close()


def client(web: Any, base_url: str, **more: Any) -> httpx.AsyncClient:
    """Someone who talks to it."""
    return httpx.AsyncClient(transport=httpx.ASGITransport(web), base_url=base_url, **more)


async def program(web: Any, place: Place) -> httpx.AsyncClient:
    """A program with a key of the account."""
    async with place.web.transaction() as tx:
        key = await create_api_key(tx, slug="tidelines", name="a test")
    return client(web, f"{settings().base_url}/api/v1/", headers={"Authorization": f"Bearer {key}"})


async def creator(web: Any, place: Place) -> httpx.AsyncClient:
    """The account's owner, signed in."""
    async with place.web.transaction() as tx:
        creator_id: UUID = await tx.value("select id from creator limit 1")
        token = await start_session(tx, creator_id)
    cookie = session_cookie(token)
    return client(
        web,
        settings().base_url,
        cookies={cookie.key: cookie.value or ""},
        headers={"Origin": settings().base_url},
    )


def visitor(web: Any) -> httpx.AsyncClient:
    """Anybody on the account's site."""
    return client(web, settings().site_url("tidelines"))


async def sign_in(
    site: httpx.AsyncClient, owner: Database, email: str = "anna@example.org", **more: str
) -> httpx.Response:
    """By the code that is mailed to a reader."""
    await site.post("/sign-in", data={"email": email} | more)
    code = await code_of(owner, email)
    return await site.post("/sign-in/code", data={"email": email, "code": f"{code[:3]} {code[3:]}"} | more)


async def now(place: Place, email: str = "anna@example.org") -> ReaderView | None:
    """The reader as they are."""
    async with place.transaction() as tx:
        return await find_reader(tx, email)
