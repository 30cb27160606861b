"""A socket as httpcore's protocol wants it, straight on the event loop.

httpcore's own goes by way of anyio, which gives the turn away before each write and costs as much again as
the call itself. Here a request leaves in one write, and nothing stands between the look at the clock and it.
"""

import asyncio
import select
import time
from typing import cast

import httpcore

from app.egress.refusals import Lost, NotReached

#: Octets that may wait to be read before the other side is stopped.
_MOST_HELD = 65536


class Wire(asyncio.Protocol, httpcore.AsyncNetworkStream):
    """One connection. Knows whether anything was written for this request, and reads only so much."""

    def __init__(self) -> None:
        self.written = False
        self._pieces: list[bytes] = []
        self._wanted, self._left, self._deadline = 1, 0, 0.0
        self._held = bytearray()
        self._over = self._stopped = False
        self._error: Exception | None = None
        self._waiting: asyncio.Future[None] | None = None

    def restart(self, pieces: int, most: int, deadline: float) -> None:
        """The next request starts here: of `pieces` writes (head, body). `most` octets may be read, and the
        first is written before `deadline` or not at all."""
        self.written, self._pieces, self._wanted = False, [], pieces
        self._left, self._deadline = most, deadline

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109
        """What is there, b"" at the end. Raises Lost when the other side says more than anybody needs to."""
        if self._left <= 0:
            raise Lost("The server answered with more than Godwit reads.")
        while not self._held:
            if self._error is not None:
                raise httpcore.ReadError(self._error)
            if self._over:
                return b""
            await self._wait()
        most = min(max_bytes, self._left)
        data = bytes(self._held[:most])
        del self._held[:most]
        self._left -= len(data)
        if self._stopped and len(self._held) <= _MOST_HELD:
            self._stopped = False
            self._transport.resume_reading()
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109
        """Kept until the request is whole; from then on bytes may have left. Raises NotReached when its time
        is over by then, which a process that was frozen hears from no timer first."""
        if not buffer:
            return
        self._pieces.append(buffer)
        if len(self._pieces) < self._wanted:
            return
        whole, self._pieces, self._wanted = b"".join(self._pieces), [], 1
        if time.monotonic() >= self._deadline:
            raise NotReached("The time for this call was over before it could begin.")
        if self._over:
            raise NotReached("The server hung up before anything was sent.")
        self.written = True
        self._transport.write(whole)

    async def aclose(self) -> None:
        """Hang up; what was not written yet is never written."""
        self._transport.abort()

    def get_extra_info(self, info: str) -> object:
        """What the transport knows; `is_readable`: whether something was said, or it is over."""
        if info == "is_readable":
            return self._over or bool(self._held) or self._has_news()
        return self._transport.get_extra_info(info)

    def _has_news(self) -> bool:
        """Whether the kernel knows something that the loop has not told yet."""
        asked = select.poll()
        asked.register(self._transport.get_extra_info("socket").fileno(), select.POLLIN)
        return bool(asked.poll(0))

    async def _wait(self) -> None:
        self._waiting = asyncio.get_running_loop().create_future()
        try:
            await self._waiting
        finally:
            self._waiting = None

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's are not of that class

    def data_received(self, data: bytes) -> None:
        self._held += data
        if len(self._held) > _MOST_HELD and not self._stopped:
            self._stopped = True
            self._transport.pause_reading()
        self._wake()

    def eof_received(self) -> None:
        self._over = True
        self._wake()

    def connection_lost(self, exc: Exception | None) -> None:
        self._over, self._error = True, exc
        self._wake()
