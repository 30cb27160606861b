"""One kept connection to a server, as cheap as Python can have it: a request out, its answer back."""

import asyncio
from typing import cast


class Lost(Exception):
    """The server closed the connection before it answered."""


class Wire(asyncio.Protocol):
    """One request at a time; its answer names its length, as all of ours do."""

    def __init__(self) -> None:
        self._held, self._begins, self._wanted, self._status = bytearray(), 0, 0, 0
        self._answered: asyncio.Future[tuple[int, bytes]] | None = None
        self._lost = False

    @classmethod
    async def to(cls, port: int) -> "Wire":
        """A connection to this machine's `port`. Raises OSError."""
        return (await asyncio.get_running_loop().create_connection(cls, "127.0.0.1", port))[1]

    async def ask(self, request: bytes) -> tuple[int, bytes]:
        """Status and body of the answer. Raises Lost."""
        if self._lost:
            raise Lost
        self._answered = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return await self._answered

    @property
    def lost(self) -> bool:
        """Whether the server has hung up."""
        return self._lost

    def close(self) -> None:
        """Hang up."""
        self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's are not of that class

    def data_received(self, data: bytes) -> None:
        self._held += data
        if not self._wanted:
            end = self._held.find(b"\r\n\r\n")
            if end < 0:
                return
            head = bytes(self._held[:end]).lower()
            at = head.find(b"content-length:")
            length = int(head[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
            self._wanted, self._status = end + 4 + length, int(head[9:12])
            self._begins = end + 4
        if len(self._held) >= self._wanted:
            body = bytes(self._held[self._begins : self._wanted])
            del self._held[: self._wanted]
            self._wanted = 0
            if self._answered is not None and not self._answered.done():
                self._answered.set_result((self._status, body))

    def connection_lost(self, exc: Exception | None) -> None:
        self._lost = True
        if self._answered is not None and not self._answered.done():
            self._answered.set_exception(Lost())
