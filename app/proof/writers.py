"""A load tool that writes and publishes by the API: `python -m app.proof.writers`, order in, tally out.

Each connection is a writer, who goes from account to account: a draft is made, edited and published. It tells
by step how long the answers took and why requests failed, in memory that does not grow with their number.
"""

import asyncio
import itertools
import resource
import sys
import time
from collections.abc import Awaitable, Callable, Iterator

import msgspec
import uvloop

from app.proof.orders import EDIT, MAKE, PUBLISH, Step, WritingOrder, WritingTally
from app.proof.spread import Spread
from app.proof.wire import Lost, Wire

_REASONS = 10
_PAGE = resource.getpagesize()
_WORDS = (
    "## What the *godwit* does in autumn\n\nThe bar-tailed godwit leaves a mudflat in Alaska and does not"
    " come down until it sees [Tasmania](https://example.org/tasmania), **eleven days** later.\n\n"
    "- it sleeps with one half of its brain\n- it eats nothing\n- it lands half as heavy\n\n"
) * 3


class _Made(msgspec.Struct):
    """What is read of a post's answer."""

    id: str
    version: int


class _Refused(Exception):
    """A step did not do what it should; it is counted."""


class Writers:
    """What an order needs while it is carried out."""

    def __init__(self, order: WritingOrder) -> None:
        self.order = order
        self.spreads = {name: Spread() for name in (MAKE, EDIT, PUBLISH)}
        self.steps = {name: Step(reasons={}) for name in (MAKE, EDIT, PUBLISH)}
        self.left = order.requests
        self.memory_early = 0
        self._keys = itertools.cycle(order.keys)
        self._numbers = itertools.count(1)

    async def draft(self, wire: Wire) -> tuple[str, str]:
        """Make one and edit it; answers the key of its account and its id."""
        key, number = next(self._keys), next(self._numbers)
        title = f"Day {number} {self.order.name}".rstrip()
        body = {"title": title, "markdown": _WORDS}
        made = await self._step(wire, MAKE, _request("POST", "/posts", key, body))
        post = msgspec.json.decode(made, type=_Made)
        body = {"version": post.version, "markdown": f"{_WORDS}\n\nSeen {number} times."}
        await self._step(wire, EDIT, _request("PATCH", f"/posts/{post.id}", key, body))
        return key, post.id

    async def publish(self, wire: Wire, key: str, post: str, due: float | None = None) -> None:
        """Publish it to the site; `due` is when it should have begun."""
        request = _request("POST", f"/posts/{post}/publish", key, {"site": True})
        await self._step(wire, PUBLISH, request, due)

    async def _step(self, wire: Wire, name: str, request: bytes, due: float | None = None) -> bytes:
        began = time.perf_counter() if due is None else due
        self.left -= 1
        try:
            status, body = await wire.ask(request)
        except Lost:
            self.steps[name].lost += 1
            self._failed(name, "the connection was lost")
            raise
        self.spreads[name].add(time.perf_counter() - began)
        if not 200 <= status < 300:
            self._failed(name, f"{status} {_detail(body)}")
            raise _Refused
        return body

    def _failed(self, name: str, reason: str) -> None:
        step = self.steps[name]
        step.failed += 1
        if reason not in step.reasons and len(step.reasons) >= _REASONS:
            reason = "other reasons"
        step.reasons[reason] = step.reasons.get(reason, 0) + 1

    def told(self, seconds: float, processor: float) -> WritingTally:
        """The tally."""
        for name, spread in self.spreads.items():
            self.steps[name].times = spread.counted
        steps = {name: step for name, step in self.steps.items() if step.times or step.failed}
        late = _memory()
        return WritingTally(steps, seconds, self.memory_early or late, late, processor)


async def write(order: WritingOrder) -> WritingTally:
    """Carry the order out."""
    writers = Writers(order)
    drafts: list[tuple[str, str]] = []
    if order.publishes_a_second:
        wanted = min(order.requests, int(order.seconds * order.publishes_a_second))
        numbers = iter(range(wanted))

        async def drafting(wire: Wire) -> bool:
            if next(numbers, None) is None:
                return False
            drafts.append(await writers.draft(wire))
            return True

        await _crowd(order, drafting)
        writers.left = order.requests
    began, processor = time.perf_counter(), time.process_time()
    due = enumerate(drafts)

    async def round_(wire: Wire) -> bool:
        gone = time.perf_counter() - began
        if not writers.memory_early and (gone > order.seconds / 4 or writers.left < order.requests * 3 // 4):
            writers.memory_early = _memory()
        if order.publishes_a_second:
            return await _publish_due(writers, wire, due, began)
        if gone > order.seconds or writers.left <= 0:
            return False
        await writers.publish(wire, *await writers.draft(wire))
        return True

    await _crowd(order, round_)
    return writers.told(time.perf_counter() - began, time.process_time() - processor)


async def _publish_due(
    writers: Writers, wire: Wire, due: Iterator[tuple[int, tuple[str, str]]], began: float
) -> bool:
    """The next publication when its time comes; at once when that is over, and then it is late already."""
    found = next(due, None)
    if found is None:
        return False
    number, (key, post) = found
    at = began + number / writers.order.publishes_a_second
    await asyncio.sleep(max(0.0, at - time.perf_counter()))
    await writers.publish(wire, key, post, at)
    return True


async def _crowd(order: WritingOrder, act: Callable[[Wire], Awaitable[bool]]) -> None:
    """Every connection does it again and again, until it answers False; a lost connection is made anew."""

    async def one() -> None:
        wire = await Wire.to(order.port)
        going = True
        while going:
            try:
                going = await act(wire)
            except _Refused:
                continue
            except Lost:
                wire = await Wire.to(order.port)
        wire.close()

    await asyncio.gather(*(one() for _ in range(order.connections)))


def _request(method: str, path: str, key: str, content: object) -> bytes:
    body = msgspec.json.encode(content)
    head = (
        f"{method} /api/v1{path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def _detail(body: bytes) -> str:
    try:
        return str(msgspec.json.decode(body, type=dict)["detail"])[:120]
    except (msgspec.DecodeError, KeyError):
        return ""


def _memory() -> int:
    with open("/proc/self/statm", encoding="ascii") as told:
        return int(told.read().split()[1]) * _PAGE


if __name__ == "__main__":
    given = msgspec.json.decode(sys.stdin.buffer.read(), type=WritingOrder)
    sys.stdout.buffer.write(msgspec.json.encode(uvloop.run(write(given))))
