"""The web process as tests ask it: a real server on loopback, and a browser's manners."""

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import uvicorn

from app.base.database import Database
from app.base.settings import settings
from app.jobs import QUEUES
from app.ops import Presence
from app.web import routes
from app.web.asgi import Web


class _Server(uvicorn.Server):
    """Ends at once when asked, where uvicorn looks ten times a second."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.asked = asyncio.Event()

    @contextlib.contextmanager
    def capture_signals(self):
        yield  # the test run keeps its own

    async def main_loop(self) -> None:
        await self.on_tick(0)
        await self.asked.wait()

    async def shutdown(self, sockets: object = None) -> None:
        state, loop = self.server_state, asyncio.get_running_loop()
        for server in self.servers:
            server.close()
        for connection in list(state.connections):
            connection.shutdown()
        until = loop.time() + (self.config.timeout_graceful_shutdown or 0)
        while (state.connections or state.tasks) and loop.time() < until:  # noqa: ASYNC110
            await asyncio.sleep(0.005)
        for task in state.tasks:
            task.cancel()
        await self.lifespan.shutdown()


_kept: list[tuple[object, Web]] = []


def application() -> Web:
    """The web application. A tenth of a second's work, so that of the last test is taken if it fits."""
    # The folder is a test's own; the application asks the settings for it.
    told = (replace(settings(), data=Path()), routes.ANYONE, routes.STUDIO, routes.API, routes.SITE)
    if not _kept or _kept[0][0] != told:
        _kept[:] = [(told, Web(settings()))]
    return _kept[0][1]


@asynccontextmanager
async def serving() -> AsyncIterator[str]:
    """Run the web application on a free port; answers its address."""
    config = uvicorn.Config(
        application(),
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
        server.asked.set()
        await running


#: Nothing here is reached by TLS, and each client on its own would read all authorities of the world: 50 ms.
_NO_AUTHORITIES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def client_of(base_url: str, **how: Any) -> httpx.AsyncClient:
    """A client, quickly made."""
    return httpx.AsyncClient(base_url=base_url, verify=_NO_AUTHORITIES, **({"timeout": 20} | how))


def browser(base_url: str, **how: Any) -> httpx.AsyncClient:
    """A client that keeps cookies and says where its forms stand."""
    headers = {"Origin": base_url, "Sec-Fetch-Site": "same-origin"}
    return client_of(base_url, headers=headers, **how)


def on_site(base_url: str, slug: str) -> httpx.AsyncClient:
    """A client of an account's site."""
    port = urlsplit(base_url).port
    return client_of(base_url, headers={"Host": f"{slug}.localhost:{port}"})


async def as_if_a_worker_lived(worker: Database, name: str = "here:1") -> Presence:
    """What a worker of every queue says of itself when it begins."""
    presence = Presence(name, list(QUEUES))
    await presence.beat(worker)
    return presence


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
