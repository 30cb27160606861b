"""The web process as tests ask it: a real server on loopback, and a browser's manners."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import httpx
import uvicorn

from app.base.database import Database
from app.base.settings import settings
from app.web.asgi import Web


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self):
        yield  # the test run keeps its own


@asynccontextmanager
async def serving() -> AsyncIterator[str]:
    """Run the web application on a free port; answers its address."""
    told = Web(settings())
    config = uvicorn.Config(
        told,
        host="127.0.0.1",
        port=0,
        ws="none",
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=1,
    )
    server = _Server(config)
    running = asyncio.create_task(server.serve())
    try:
        while not server.started:
            assert not running.done(), "the web process did not start"
            await asyncio.sleep(0.005)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        await running


def browser(base_url: str, **how: Any) -> httpx.AsyncClient:
    """A client that keeps cookies and says where its forms stand."""
    headers = {"Origin": base_url, "Sec-Fetch-Site": "same-origin"}
    return httpx.AsyncClient(base_url=base_url, headers=headers, timeout=20, **how)


def on_site(base_url: str, slug: str) -> httpx.AsyncClient:
    """A client of an account's site."""
    port = urlsplit(base_url).port
    return httpx.AsyncClient(base_url=base_url, headers={"Host": f"{slug}.localhost:{port}"}, timeout=20)


async def mailed_code(owner: Database, email: str) -> str:
    """The code in the newest sign-in mail that was queued for an address."""
    async with owner.transaction() as tx:
        subject = await tx.value(
            "select args->>'subject' from job where kind = 'send_creator_code' and args->>'to' = :to"
            " order by id desc limit 1",
            to=email,
        )
    assert subject, f"no code was mailed to {email}"
    return subject[:6]
