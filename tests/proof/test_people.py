"""The tool that plays people: each at its own time, and what was lost is told as lost."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator

import pytest

from app.fakes import Call, FakeReceiver, Reply
from app.proof.isolation_scenes import Scene
from app.proof.orders import Ask, PeopleOrder
from app.proof.people import go_about

ASKS = [
    Ask("localhost", "ana@example.org", "10.0.0.1"),
    Ask("coming.localhost", "ben@example.org", "10.0.0.2"),
]


class Site:
    """Keeps what came; a page at /gone is lost, every other is there."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.enough = asyncio.Event()

    async def __call__(self, call: Call) -> Reply:
        self.calls.append(call)
        if len(self.calls) >= 12:
            self.enough.set()
        return Reply(ending="drop") if call.path == "/gone" else Reply(303 if call.body else 200)


@pytest.fixture
async def site() -> AsyncIterator[tuple[Site, int]]:
    meet = Site()
    server = FakeReceiver(meet)
    await server.start()
    yield meet, server.port
    await server.stop()


async def test_codes_are_asked_for_by_forms_from_networks_and_pages_are_looked_at(
    site: tuple[Site, int],
) -> None:
    """A page whose answer never came failed; an ask is told with its time and status."""
    meet, port = site
    order = PeopleOrder(port, ASKS, 50.0, "read.localhost", ["/there", "/gone"], 50.0)
    tally = await go_about(order, meet.enough)
    asked = [call for call in meet.calls if call.path == "/sign-in"]
    assert asked[0].body == b"email=ana%40example.org"
    assert asked[0].header("origin") == f"http://localhost:{port}"
    assert asked[1].header("host") == f"coming.localhost:{port}"
    assert [call.header("x-forwarded-for") for call in asked[:3]] == ["10.0.0.1", "10.0.0.2", "10.0.0.1"]
    assert {one.status for one in tally.asked} == {303}
    assert all(one.took > 0 and one.at > 1_700_000_000 for one in tally.asked)
    came = Counter(call.path for call in meet.calls)
    assert sum(tally.pages.values()) == came["/there"]
    assert list(tally.failed) == [0]
    assert came["/gone"] / 2 <= tally.failed[0] <= came["/gone"], "a kept connection is given a second chance"


def test_what_a_process_takes_in_quiet_is_no_part_of_the_load() -> None:
    quiet, much = Scene(duties={1: 0.1, 2: 0.3}), Scene(duties={1: 0.5, 2: 0.2, 3: 0.25})
    assert much.beside(quiet) == pytest.approx([0.4, 0.25])
