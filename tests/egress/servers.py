"""Servers that answer with the very bytes they are told to, slowly or without end, and note what they got."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

#: Writes an answer to one request, which was read whole.
Say = Callable[[asyncio.StreamWriter], Awaitable[None]]
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


class Server:
    """`say` may be changed at any time. `got`: whole requests, as they came; `connections`: how many."""

    def __init__(self, say: Say) -> None:
        self.say = say
        self.got: list[bytes] = []
        self.connections = 0
        self.open: set[asyncio.StreamWriter] = set()
        self.port = 0
        self.name_asked: str | None = None
        self.greeting = b""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.open.add(writer)
        writer.write(self.greeting)
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:] if line)
                self.got.append(head + await reader.readexactly(int(fields.get(b"content-length", 0))))
                await self.say(writer)
                await writer.drain()
        self.open.discard(writer)
        writer.close()

    def url(self, host: str = "127.0.0.1", path: str = "/hook", scheme: str = "http") -> str:
        """An address here."""
        return f"{scheme}://{host}:{self.port}{path}"


def saying(*pieces: bytes, every: float = 0.0, end: bool = False) -> Say:
    """Says the pieces, one `every` so many seconds; hangs up at the `end`."""

    async def say(writer: asyncio.StreamWriter) -> None:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            if every:
                await asyncio.sleep(every)
        if end:
            writer.close()

    return say


def endless(head: bytes, piece: bytes, every: float = 0.0) -> Say:
    """Says `head`, then `piece` for ever, until the other side hangs up."""

    async def say(writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        while not writer.is_closing():
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(every)

    return say


@asynccontextmanager
async def a_server(
    say: Say | None = None, *, tls: ssl.SSLContext | None = None,
    host: str = "127.0.0.1", port: int = 0, greeting: bytes = b"",
) -> AsyncIterator[Server]:  # fmt: skip
    """A server, listening; it says OK when nothing else, and the `greeting` before it is asked."""
    made = Server(say or saying(OK))
    made.greeting = greeting
    if tls is not None:
        tls.sni_callback = lambda _socket, name, _context: setattr(made, "name_asked", name)
    listening = await asyncio.start_server(made.serve, host, port, ssl=tls)
    made.port = listening.sockets[0].getsockname()[1]
    try:
        yield made
    finally:
        listening.close()
        for writer in list(made.open):
            writer.transport.abort()
