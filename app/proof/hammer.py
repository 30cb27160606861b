"""A load tool in a process of its own: `python -m app.proof.hammer` reads an order and prints a tally.

So many connections each send one request after the other, as fast as the answers come. A thread of Python
asks some ten thousand times a second: what it measures against must need more than that, or is told so.
"""

import asyncio
import sys
import time
from collections.abc import Iterator
from typing import cast

import msgspec
import uvloop

from app.proof.orders import Order, Tally


class _Asker(asyncio.Protocol):
    """One connection."""

    def __init__(
        self, requests: Iterator[bytes], until: float, told: list[float], failed: list[bytes]
    ) -> None:
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._requests, self._until, self._told, self._failed = requests, until, told, failed
        self._held, self._wanted, self._asked_at = bytearray(), 0, 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's are not of that class
        self._ask()

    def data_received(self, data: bytes) -> None:
        self._held += data
        if not self._wanted:
            end = self._held.find(b"\r\n\r\n")
            if end < 0:
                return
            head = bytes(self._held[:end]).lower()
            at = head.find(b"content-length:")
            length = int(head[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
            self._wanted = end + 4 + length
            if not head.startswith(b"http/1.1 200"):
                self._failed.append(head[:40])
        if len(self._held) >= self._wanted:
            self._told.append(time.perf_counter() - self._asked_at)
            self._held.clear()
            self._wanted = 0
            self._ask()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.done.done():
            self._failed.append(b"connection lost")
            self.done.set_result(None)

    def _ask(self) -> None:
        request = next(self._requests, None) if time.perf_counter() < self._until else None
        if request is None:
            if not self.done.done():
                self.done.set_result(None)
            self._transport.close()
            return
        self._asked_at = time.perf_counter()
        self._transport.write(request)


async def hammer(order: Order) -> Tally:
    """Carry the order out."""
    loop, told, failed = asyncio.get_running_loop(), [], []
    requests = _requests(order)
    began = time.perf_counter()
    askers = [
        (
            await loop.create_connection(
                lambda: _Asker(requests, began + order.seconds, told, failed), "127.0.0.1", order.port
            )
        )[1]
        for _ in range(order.connections)
    ]
    await asyncio.gather(*(asker.done for asker in askers))
    took = time.perf_counter() - began
    told.sort()
    return Tally(
        answers=len(told) - len(failed),
        failed=len(failed),
        seconds=took,
        median=told[len(told) // 2] if told else 0.0,
        p99=told[int(len(told) * 0.99)] if told else 0.0,
    )


def _requests(order: Order) -> Iterator[bytes]:
    made = [f"GET {path} HTTP/1.1\r\nHost: {order.host}\r\n\r\n".encode() for path in order.paths]
    yield from made
    while not order.once:
        yield from made


if __name__ == "__main__":
    given = msgspec.json.decode(sys.stdin.buffer.read(), type=Order)
    sys.stdout.buffer.write(msgspec.json.encode(uvloop.run(hammer(given))))
