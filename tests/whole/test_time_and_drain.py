"""Testing mode's clock and drain beside workers that take their time."""

from typing import Any
from uuid import uuid4

import httpx
import pytest

from app.base.database import Database
from app.broadcasts.jobs import BuildBroadcast
from app.jobs import enqueue
from app.jobs.leases import expire_leases
from tests.broadcasts.makers import Studio
from tests.testing.conftest import studio
from tests.testing.makers import working
from tests.waiting import until

assert studio
pytestmark = pytest.mark.anyio
HOUR = 3600


async def test_leases_keep_the_real_time(
    studio: Studio, tester: httpx.AsyncClient, worker: Database, owner: Database
) -> None:
    """A worker does not lose its job because people's clock moved."""
    order = {"target": "provider", "kind": "slow", "delay": 1.5, "match": {"to": "reader1@example.org"}}
    await tester.post("/faults", json=order)
    await studio.press()

    async def calling() -> Any:
        async with owner.transaction() as tx:
            return await tx.value("select id from batch where state = 'calling'")

    async with working(studio.worker):
        await until(calling)
        await tester.post("/clock", json={"advance": HOUR})
        async with worker.transaction() as tx:
            assert await expire_leases(tx) == []
        assert (await tester.post("/drain", json={"timeout": 20})).json()["quiet"] is True
    async with owner.transaction() as tx:
        assert await tx.rows("select 1 from batch where state <> 'accepted'") == []


async def test_with_a_moved_clock_it_goes_on_to_what_is_due_later(
    studio: Studio, tester: httpx.AsyncClient, web: Database
) -> None:
    """From one due time to the next, as far as `until` says; what comes after that is told and left."""
    async with web.transaction(studio.desk.account_id) as tx:
        for hours in (1, 5, 30):
            later = await tx.value("select godwit_now() + make_interval(hours => :hours)", hours=hours)
            await enqueue(tx, BuildBroadcast(uuid4()), run_at=later)
    async with working(studio.worker):
        body = {"timeout": 30, "advance": True, "until": 10 * 3600}
        told = (await tester.post("/drain", json=body)).json()
    assert told["quiet"] is True
    assert [one["what"] for one in told["waiting"]] == ["job build_broadcast"]
    assert 5 * 3600 - 60 < (await tester.get("/clock")).json()["ahead"] <= 5 * 3600


async def test_an_unsettled_batch_is_in_the_way(studio: Studio, tester: httpx.AsyncClient) -> None:
    """With a slow provider the batch is calling for a while; a drain sees it."""
    order = {"target": "provider", "kind": "slow", "delay": 1.0, "match": {"to": "reader1@example.org"}}
    await tester.post("/faults", json=order)
    await studio.press()

    async def calling() -> bool:
        told = (await tester.post("/drain", json={"timeout": 0})).json()
        return any(one["what"].startswith("batch ") for one in told["waiting"])

    async with working(studio.worker):
        await until(calling)
        assert (await tester.post("/drain", json={"timeout": 30})).json()["quiet"] is True
