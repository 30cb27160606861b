"""The load tool: times by step in memory that does not grow, and why requests failed."""

import asyncio
from collections.abc import AsyncIterator

import msgspec
import pytest

from app.proof.orders import EDIT, MAKE, PUBLISH, WritingOrder
from app.proof.spread import Spread
from app.proof.writers import write


class _Api(asyncio.Protocol):
    """Answers as the API does; the third publication is refused, the fifth cut off."""

    published = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        status, body = 200, {"id": "one", "version": 1}
        if b"/publish " in data:
            _Api.published += 1
            if _Api.published == 3:
                status, body = 409, {"detail": "This post waits for its time."}
            if _Api.published == 5:
                self._transport.close()
                return
        told = msgspec.json.encode(body)
        self._transport.write(b"HTTP/1.1 %d X\r\nContent-Length: %d\r\n\r\n%s" % (status, len(told), told))


@pytest.fixture
async def api() -> AsyncIterator[int]:
    _Api.published = 0
    server = await asyncio.get_running_loop().create_server(_Api, "127.0.0.1", 0)
    yield server.sockets[0].getsockname()[1]
    server.close()


async def test_times_are_told_by_step_and_failures_with_their_reason(api: int) -> None:
    tally = await write(WritingOrder(api, ["a", "b"], 1, 30.0, 30))
    assert list(tally.steps) == [MAKE, EDIT, PUBLISH]
    assert {name: step.failed for name, step in tally.steps.items()} == {MAKE: 0, EDIT: 0, PUBLISH: 2}
    assert tally.steps[PUBLISH].reasons == {
        "409 This post waits for its time.": 1,
        "the connection was lost": 1,
    }
    assert tally.requests + 1 == 30
    assert tally.done == 28
    assert 0 < tally.processor < 30
    assert tally.memory_late > 0


async def test_at_a_pace_each_publication_is_timed_from_when_it_was_due(api: int) -> None:
    _Api.published = 10
    tally = await write(WritingOrder(api, ["a"], 2, 0.2, 10**9, 50.0))
    assert tally.steps[PUBLISH].spread.count == 10
    assert tally.seconds >= 9 / 50


def test_a_spread_knows_quantiles_to_one_percent_and_does_not_grow() -> None:
    spread = Spread()
    for n in range(1, 100_001):
        spread.add(n / 100_000)
    assert spread.count == 100_000
    assert spread.quantile(0.5) == pytest.approx(0.5, rel=0.011)
    assert spread.quantile(0.99) == pytest.approx(0.99, rel=0.011)
    assert len(spread.counted) < 1200
    assert Spread().quantile(0.99) == 0.0
