"""Beginning again: an account emptied or filled, within the time the contract names, beside a worker too."""

import asyncio

import httpx
import pytest

from app.base.database import Database
from tests.broadcasts.makers import Studio, a_studio
from tests.testing.makers import working
from tests.waiting import until

pytestmark = pytest.mark.anyio

_TABLES = """
select c.relname::text as name from pg_class c
join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id' and not a.attisdropped
where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
"""
#: What stays: who somebody is, and that the account has a newsletter.
KEPT = {"membership", "api_key", "newsletter"}


async def held(owner: Database, account_id: int) -> dict[str, int]:
    """How many rows of an account each table has, without those that have none."""
    async with owner.transaction() as tx:
        names = [row.name for row in await tx.rows(_TABLES)]
        counts = {
            name: await tx.value(f"select count(*) from {name} where account_id = :id", id=account_id)
            for name in names
        }
        counts["mail"] = await tx.value(
            "select count(*) from mailbox.mail where account_id = :id", id=account_id
        )
    return {name: count for name, count in counts.items() if count}


async def test_an_account_is_emptied_and_its_people_stay(
    studio: Studio, godwit: str, tester: httpx.AsyncClient, web: Database, worker: Database, owner: Database
) -> None:
    async with a_studio(godwit, web, worker, slug="other", readers=3) as other, working(studio.worker):
        await studio.press()
        await other.press()
        assert (await tester.post("/drain", json={"timeout": 30})).json()["quiet"] is True
        before = await held(owner, other.desk.account_id)
        assert len(await held(owner, studio.desk.account_id)) > 15
        assert (await tester.post("/reset?account=tidelines")).json() == {"reset": "tidelines"}
        assert set(await held(owner, studio.desk.account_id)) <= KEPT
        assert await held(owner, other.desk.account_id) == before
        assert (await studio.api.get("/readers")).json()["items"] == []
        assert (await studio.page.get(studio.at())).status_code == 200
        await tester.post("/faults", json={"target": "provider", "kind": "down"})
        await tester.post("/clock", json={"advance": 60})
        assert (await tester.post("/reset")).json() == {"reset": "all"}
        assert set(await held(owner, other.desk.account_id)) <= KEPT
        assert (await tester.get("/faults")).json()["items"] == []
        assert (await tester.get("/clock")).json()["ahead"] == 0
        assert (await other.api.get("/readers")).status_code == 200


async def test_no_mail_of_before_comes_after_it(studio: Studio, tester: httpx.AsyncClient) -> None:
    """Promise 6: not the copies of calls in flight either; what is sent afterwards comes."""
    slow = {"target": "provider", "kind": "slow", "delay": 1.5, "times": 1}
    fault_id = (await tester.post("/faults", json=slow)).json()["id"]

    async def in_the_call() -> bool:
        [fault] = (await tester.get("/faults")).json()["items"]
        return fault["id"] == fault_id and fault["fired"] == 1

    async with working(studio.worker):
        await studio.press()
        await until(in_the_call)
        assert (await tester.post("/reset?account=tidelines")).status_code == 200
    assert (await tester.get("/mailbox?account=tidelines")).json()["items"] == []
    await tester.post("/seed?account=tidelines", json={"readers": 3, "posts": 1})
    post = (await studio.api.get("/posts")).json()["items"][0]
    async with working(studio.worker):
        assert (await studio.api.post(f"/posts/{post['id']}/publish", json={"email": {}})).status_code == 202
        assert (await tester.post("/drain", json={"timeout": 30})).json()["quiet"] is True
    copies = (await tester.get("/mailbox?account=tidelines&kind=broadcast")).json()["items"]
    assert len(copies) == 3


async def test_it_may_be_asked_for_while_workers_write(studio: Studio, tester: httpx.AsyncClient) -> None:
    """Whoever was in the middle of something finds that it is gone; nobody is answered 500."""
    async with working(studio.worker):
        for _ in range(5):
            await tester.post("/seed", json={"readers": 200, "posts": 1})
            post = (await studio.api.get("/posts")).json()["items"][0]
            await studio.api.post(f"/posts/{post['id']}/publish", json={"email": {}})
            await asyncio.sleep(0)
            assert (await tester.post("/reset")).status_code in (200, 409)
        assert (await tester.post("/drain", json={"timeout": 60})).json()["quiet"] is True


async def test_which_account_must_be_said_when_there_are_several(
    studio: Studio, godwit: str, tester: httpx.AsyncClient, web: Database, worker: Database
) -> None:
    assert (await tester.post("/seed", json={"readers": 2})).json()["slug"] == "tidelines"
    async with a_studio(godwit, web, worker, slug="other", readers=0):
        told = await tester.post("/seed", json={"readers": 2})
        assert told.status_code == 422
        assert "other" in told.json()["detail"]
        assert (await tester.post("/seed?account=other", json={"readers": 2})).status_code == 200
    assert (await tester.post("/reset?account=nobody")).status_code == 404
    assert (await tester.post("/reset", json={"account": "x"})).status_code == 422
