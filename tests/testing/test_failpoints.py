"""Failpoints: they strike where, at what and as often as ordered; outside testing mode never."""

import asyncio
from collections.abc import AsyncIterator

import httpx
import pytest
from structlog.testing import capture_logs

from app.base import failpoints
from app.base.database import Database
from app.base.failpoints import Struck, reached
from app.base.rehearsal import follow
from app.base.settings import settings
from tests.waiting import until

pytestmark = pytest.mark.anyio
RAISE = {"target": "worker", "kind": "raise", "at": "before_settle"}


@pytest.fixture(autouse=True)
async def nothing_armed_after() -> AsyncIterator[None]:
    yield
    failpoints.arm(())


async def struck(worker: Database, at: str = "before_settle", place: str = "jobs", job: str = "x") -> bool:
    try:
        await reached(worker, at, place, job)
    except Struck:
        return True
    return False


async def test_one_strikes_where_it_was_ordered_and_once(tester: httpx.AsyncClient, worker: Database) -> None:
    ordered = (await tester.post("/faults", json=RAISE)).json()
    assert (ordered["at"], ordered["times"], ordered["match"]) == ("before_settle", 1, {})
    await follow(worker)
    assert not await struck(worker, "after_claim")
    assert await struck(worker)
    assert not await struck(worker)
    told = (await tester.get("/faults")).json()["items"][0]
    assert (told["seen"], told["fired"], told["pid"] > 0) == (2, 1, True)


async def test_one_strikes_in_the_book_and_at_the_kind_it_was_ordered_for(
    tester: httpx.AsyncClient, worker: Database
) -> None:
    await tester.post("/faults", json=RAISE | {"match": {"in": "ledger", "job": "deliver_sends"}, "after": 1})
    await follow(worker)
    assert not await struck(worker, place="jobs", job="deliver_sends")
    assert not await struck(worker, place="ledger", job="other")
    assert not await struck(worker, place="ledger", job="deliver_sends")
    assert await struck(worker, place="ledger", job="deliver_sends")


async def test_one_taken_back_strikes_no_more(tester: httpx.AsyncClient, worker: Database) -> None:
    await tester.post("/faults", json=RAISE)
    await follow(worker)
    await tester.delete("/faults")
    assert not await struck(worker)
    await follow(worker)
    assert not await struck(worker)


async def test_one_behind_another_s_lock_is_asked_again_until_it_strikes(
    tester: httpx.AsyncClient, worker: Database, owner: Database
) -> None:
    """A lock that lasts longer than a statement waits is no reason to be passed by."""
    await tester.post("/faults", json=RAISE)
    await follow(worker)
    hasty = Database(worker.url, worker.role, 1)
    async with hasty.transaction() as tx:
        await tx.execute("set lock_timeout = '20ms'")
    with capture_logs() as said:

        async def turned_away() -> bool:
            return any("lock timeout" in line.get("error", "") for line in said)

        async with owner.transaction() as tx:
            await tx.execute("select from mailbox.fault for update")
            striking = asyncio.create_task(struck(hasty))
            await until(turned_away)
        assert await striking
    await hasty.close()


async def test_one_that_cannot_be_asked_about_is_passed(
    tester: httpx.AsyncClient, worker: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It brings no fault that nobody ordered."""
    await tester.post("/faults", json=RAISE)
    await follow(worker)
    monkeypatch.setattr(failpoints, "LONGEST", 0.1)
    nowhere = Database("postgresql://nobody@127.0.0.1:1/none", "godwit_worker", 1)
    assert not await struck(nowhere)
    assert await struck(worker)


async def test_outside_testing_mode_nothing_is_armed(
    tester: httpx.AsyncClient, worker: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Promise 1: a fault left in the table strikes nobody."""
    await tester.post("/faults", json=RAISE)
    failpoints.arm(())
    monkeypatch.setenv("GODWIT_MODE", "development")
    settings.cache_clear()
    await follow(worker)
    assert not await struck(worker)
    assert not failpoints._armed
