"""Godwit as a signed-in creator, a program and a visitor of the site meet it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache

import httpx

from app.accounts import session_cookie, start_session
from app.base.database import Database
from app.base.settings import settings
from app.jobs import bell
from app.web.asgi import Web
from tests.accounts.makers import api_key
from tests.posts.makers import Desk


@dataclass(frozen=True)
class Served:
    """Clients of one account: `studio` at /studio/{slug}, `api` at /api/v1, `site` at its root."""

    studio: httpx.AsyncClient
    api: httpx.AsyncClient
    site: httpx.AsyncClient


@cache
def _application() -> Web:
    """Built once a process: its routes do not depend on the test."""
    return Web(settings())


@asynccontextmanager
async def served(web: Database, desk: Desk) -> AsyncIterator[Served]:
    """The web application on this test's database, with everybody at the door."""
    application = _application()
    reached = httpx.ASGITransport(application)
    home = settings().base_url
    async with web.transaction() as tx:
        cookie = session_cookie(await start_session(tx, desk.creator_id))
    try:
        async with (
            httpx.AsyncClient(
                transport=reached,
                base_url=f"{home}/studio/{desk.slug}/",
                headers={"Origin": home, "Cookie": f"{cookie.key}={cookie.value}"},
            ) as studio,
            httpx.AsyncClient(
                transport=reached, base_url=f"{home}/api/v1/", headers=await api_key(web, desk.slug)
            ) as api,
            httpx.AsyncClient(transport=reached, base_url=settings().site_url(desk.slug)) as site,
        ):
            yield Served(studio, api, site)
    finally:
        await application.database.close()
        await bell.close()
