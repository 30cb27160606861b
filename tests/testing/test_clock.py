"""The clock of testing mode: what people see and schedule by it moves, leases and deadlines do not."""

from datetime import datetime, timedelta

import httpx
import pytest

from app.base import clock
from app.base.database import Database
from app.base.rehearsal import follow
from app.broadcasts.jobs import BuildBroadcast
from app.jobs import enqueue
from tests.broadcasts.makers import Studio
from tests.testing.makers import working

pytestmark = pytest.mark.anyio
HOUR = 3600


async def now_of(database: Database) -> datetime:
    async with database.transaction() as tx:
        return await tx.value("select godwit_now()")


async def test_it_says_how_far_ahead_it_is(tester: httpx.AsyncClient) -> None:
    assert (await tester.get("/clock")).json()["ahead"] == 0
    assert (await tester.post("/clock", json={"advance": HOUR})).json()["ahead"] == HOUR
    told = (await tester.post("/clock", json={"advance": 0.5})).json()
    assert told["ahead"] == HOUR + 0.5
    assert datetime.fromisoformat(told["now"]) > datetime.now().astimezone() + timedelta(minutes=59)


async def test_statements_of_every_role_see_it_at_once(
    tester: httpx.AsyncClient, web: Database, worker: Database
) -> None:
    before = [await now_of(web), await now_of(worker)]
    await tester.post("/clock", json={"advance": HOUR})
    for was, database in zip(before, (web, worker), strict=True):
        assert await now_of(database) - was >= timedelta(hours=1)


async def test_dates_that_python_writes_follow_and_come_back(tester: httpx.AsyncClient) -> None:
    real = clock.now()
    await tester.post("/clock", json={"advance": HOUR})
    assert clock.now() - real >= timedelta(hours=1)


async def test_another_process_follows_by_looking(tester: httpx.AsyncClient, worker: Database) -> None:
    """What a worker does twice a second."""
    await tester.post("/clock", json={"advance": HOUR})
    clock.set_ahead(timedelta())
    real = clock.now()
    await follow(worker)
    assert clock.now() - real >= timedelta(hours=1)
    clock.set_ahead(timedelta())


async def test_what_was_for_later_is_due(studio: Studio, tester: httpx.AsyncClient, web: Database) -> None:
    async with web.transaction(studio.desk.account_id) as tx:
        later = await tx.value("select godwit_now() + interval '1 hour'")
        await enqueue(tx, BuildBroadcast(studio.desk.creator_id), run_at=later)
    assert (await tester.post("/drain", json={"timeout": 0})).json()["quiet"] is True
    await tester.post("/clock", json={"advance": HOUR})
    assert (await tester.post("/drain", json={"timeout": 0})).json()["quiet"] is False
    async with working(studio.worker):
        assert (await tester.post("/drain", json={"timeout": 20})).json() == {"quiet": True, "waiting": []}


_WRONG: list[str] = ["{}", '{"advance": -1}', '{"advance": "x"}', '{"advance": 1e99}', '{"to": 3}']


async def test_it_moves_forwards_by_seconds_and_nothing_else(
    subtests: pytest.Subtests, tester: httpx.AsyncClient
) -> None:
    for body in _WRONG:
        with subtests.test(body=body):
            assert (await tester.post("/clock", content=body)).status_code == 422
            assert (await tester.get("/clock")).json()["ahead"] == 0


async def test_it_stays_within_a_century(tester: httpx.AsyncClient) -> None:
    """Timestamps end somewhere; a test that goes on and on is told, not answered 500."""
    decade = {"advance": 10 * 366 * 86_400}
    told = [(await tester.post("/clock", json=decade)).status_code for _ in range(12)]
    assert sorted(set(told)) == [200, 422]


async def test_only_the_web_process_may_move_it(web: Database, worker: Database, owner: Database) -> None:
    async with owner.transaction() as tx:
        for role, may in (("web", True), ("worker", False), ("operator", False)):
            asked = f"select has_column_privilege('godwit_{role}', 'clock', 'ahead', 'update')"
            assert await tx.value(asked) is may
