"""People at a pace: `python -m app.proof.people` reads an order, asks for codes and looks at pages, tells.

Each ask and each look has its own time, whether or not those before were answered; it is timed from its first
octet to its answer's last. It ends when its input does.
"""

import asyncio
import itertools
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from urllib.parse import urlencode

import msgspec
import uvloop

from app.proof.orders import Ask, Asked, PeopleOrder, PeopleTally
from app.proof.spread import Spread
from app.proof.wire import Lost, Wire


class People:
    """What an order needs while it is carried out."""

    def __init__(self, order: PeopleOrder) -> None:
        self.order = order
        self.asked: list[Asked] = []
        self.pages = Spread()
        self.failed = Counter[int]()
        self._asks, self._looks = itertools.cycle(order.asks), itertools.cycle(order.pages)
        self._idle: list[Wire] = []
        self._going = set[asyncio.Task[None]]()

    async def ask(self) -> None:
        """The next person asks for a code."""
        who, at, began = next(self._asks), time.time(), time.perf_counter()
        status = await self._answer(_asking(who, self.order.port))
        self.asked.append(Asked(who.address, at, time.perf_counter() - began, status))

    async def look(self) -> None:
        """Somebody looks at the next page."""
        began = time.perf_counter()
        request = f"GET {next(self._looks)} HTTP/1.1\r\nHost: {self.order.host}\r\n\r\n".encode()
        status = await self._answer(request)
        if status == 200:
            self.pages.add(time.perf_counter() - began)
        else:
            self.failed[status] += 1

    async def at_pace(self, act: Callable[[], Awaitable[None]], a_second: float) -> None:
        """Do it so often a second, for ever."""
        began = time.perf_counter()
        for n in itertools.count():
            await asyncio.sleep(max(0.0, began + n / a_second - time.perf_counter()))
            task = asyncio.ensure_future(_done(act))
            self._going.add(task)
            task.add_done_callback(self._going.discard)

    async def until_answered(self) -> None:
        """What is under way comes to its end."""
        await asyncio.gather(*self._going)

    async def _answer(self, request: bytes) -> int:
        """The status; 0 when the connection was lost, and not for its idleness: then a browser asks anew."""
        self._idle = [wire for wire in self._idle if not wire.lost]
        with suppress(Lost):
            if self._idle:
                return await self._on(self._idle.pop(), request)
        try:
            return await self._on(await Wire.to(self.order.port), request)
        except (Lost, OSError):
            return 0

    async def _on(self, wire: Wire, request: bytes) -> int:
        status, _ = await wire.ask(request)
        self._idle.append(wire)
        return status


async def go_about(order: PeopleOrder, ended: asyncio.Event) -> PeopleTally:
    """Carry the order out until the end."""
    people, began = People(order), time.perf_counter()
    paces = [
        asyncio.create_task(people.at_pace(people.ask, order.asks_a_second)),
        asyncio.create_task(people.at_pace(people.look, order.pages_a_second)),
    ]
    await ended.wait()
    for one in paces:
        one.cancel()
    await people.until_answered()
    return PeopleTally(people.asked, people.pages.counted, people.failed, time.perf_counter() - began)


def _asking(who: Ask, port: int) -> bytes:
    """As a browser sends the form from the site's own page, through a proxy that names the network."""
    body = urlencode({"email": who.address})
    return (
        f"POST /sign-in HTTP/1.1\r\nHost: {who.host}:{port}\r\nOrigin: http://{who.host}:{port}\r\n"
        f"X-Forwarded-For: {who.network}\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        f"Content-Length: {len(body)}\r\n\r\n{body}"
    ).encode()


async def _done(act: Callable[[], Awaitable[None]]) -> None:
    await act()


def _end(ended: asyncio.Event) -> None:
    asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
    ended.set()


async def _main() -> PeopleTally:
    ended = asyncio.Event()
    order = msgspec.json.decode(sys.stdin.buffer.readline(), type=PeopleOrder)
    asyncio.get_running_loop().add_reader(sys.stdin.fileno(), _end, ended)
    print("begun", flush=True)
    return await go_about(order, ended)


if __name__ == "__main__":
    sys.stdout.buffer.write(msgspec.json.encode(uvloop.run(_main())))
