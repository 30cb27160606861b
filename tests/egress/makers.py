"""A client that may call what the test says, and one call, in a line each."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from ipaddress import ip_network
from typing import Any

from app.egress import Answer, Client, Policy, target_of
from tests.egress.names import Names
from tests.egress.servers import Server

LOOPBACK = "127.0.0.1/32"


def within(seconds: float) -> float:
    """A deadline."""
    return asyncio.get_running_loop().time() + seconds


def allowing(*networks: str, hosts: Iterable[tuple[str, int]] = (), names: Names | None = None) -> Policy:
    """What may be called beside the public internet, and who says where names lead."""
    found = {"resolver": names.resolver} if names else {}
    return Policy(tuple(ip_network(one) for one in networks), frozenset(hosts), **found)


@asynccontextmanager
async def calling(policy: Policy, tls: ssl.SSLContext | None = None, **more: Any) -> AsyncIterator[Client]:
    """A client."""
    made = Client(policy, tls=tls, **more)
    try:
        yield made
    finally:
        await made.close()


async def post(client: Client, url: str, body: bytes = b"{}", *, seconds: float = 10, **more: Any) -> Answer:
    """POST `body` there."""
    return await client.post(
        target_of(url), [("Content-Type", "application/json")], body, deadline=within(seconds), **more
    )


async def post_once(server: Server, **more: Any) -> Answer:
    """POST to the server, by a client of its own that may call just that."""
    async with calling(allowing(hosts=[("127.0.0.1", server.port)])) as client:
        return await post(client, server.url(), **more)
