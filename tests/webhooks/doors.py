"""A receiver under TLS with a door before it: whoever connects waits there, its handshake not begun."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from app.fakes import FakeReceiver, Script


async def _nothing() -> None:
    pass


@dataclass
class Door:
    """`meanwhile` is what happens while one waits; `came`: how many did."""

    url: str
    script: Script
    meanwhile: Callable[[], Awaitable[None]] = field(default=_nothing)
    came: int = 0


@asynccontextmanager
async def a_door(tls: ssl.SSLContext) -> AsyncIterator[Door]:
    """A door, and behind it a receiver that answers 200 until its script says otherwise."""
    behind = FakeReceiver(script := Script(), tls=tls)
    await behind.start()
    door = Door("", script)

    async def through(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        door.came += 1
        await door.meanwhile()
        inside, far = await asyncio.open_connection("127.0.0.1", behind.port)
        await asyncio.gather(_carried(reader, far), _carried(inside, writer))

    server = await asyncio.start_server(through, "127.0.0.1", 0)
    door.url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/hook"
    yield door
    server.close()
    await behind.stop()


async def _carried(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.close()
