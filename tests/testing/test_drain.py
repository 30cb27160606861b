"""Waiting until nothing is due: what is in the way is told, what comes later is not waited for."""

import asyncio

import httpx
import pytest

from app.base.database import Database
from app.broadcasts.jobs import BuildBroadcast
from app.jobs import enqueue
from tests.broadcasts.makers import Studio, a_studio
from tests.testing.makers import working

pytestmark = pytest.mark.anyio
STOP = "insert into switch (account_id, stopped, reason, holding) values (:account, true, 'a test', true)"


async def test_with_nothing_to_do_it_is_quiet_at_once(tester: httpx.AsyncClient) -> None:
    answer = await tester.post("/drain")
    assert answer.status_code == 200
    assert answer.json() == {"quiet": True, "waiting": []}


async def test_what_nobody_works_on_is_named(studio: Studio, tester: httpx.AsyncClient) -> None:
    await studio.press()
    told = (await tester.post("/drain", json={"timeout": 0.2})).json()
    assert told["quiet"] is False
    assert {one["what"].split()[0] for one in told["waiting"]} == {"job", "mailing"}
    assert all(set(one) == {"what", "why", "due"} for one in told["waiting"])


async def test_it_waits_through_build_send_and_audit(studio: Studio, tester: httpx.AsyncClient) -> None:
    """A broadcast is done when its last batch is settled and its books were compared, not before."""
    broadcast_id = await studio.press()
    draining = asyncio.create_task(tester.post("/drain", json={"timeout": 30}))
    async with working(studio.worker):
        assert (await draining).json()["quiet"] is True
    told = (await studio.api.get(f"/broadcasts/{broadcast_id}")).json()
    assert (told["state"], told["sent"], told["balanced"]) == ("finished", 12, True)


async def test_work_for_later_is_told_but_not_waited_for(
    studio: Studio, tester: httpx.AsyncClient, web: Database
) -> None:
    async with web.transaction(studio.desk.account_id) as tx:
        later = await tx.value("select godwit_now() + interval '1 hour'")
        await enqueue(tx, BuildBroadcast(studio.desk.creator_id), run_at=later)
    told = (await tester.post("/drain", json={"timeout": 5})).json()
    assert told["quiet"] is True
    assert [one["what"] for one in told["waiting"]] == ["job build_broadcast"]


async def test_one_account_does_not_wait_for_another(
    studio: Studio, godwit: str, tester: httpx.AsyncClient, web: Database, worker: Database
) -> None:
    async with a_studio(godwit, web, worker, slug="other", readers=1) as other:
        await other.press()
        assert (await tester.post("/drain?account=tidelines", json={"timeout": 5})).json()["quiet"] is True
        assert (await tester.post("/drain", json={"timeout": 0})).json()["quiet"] is False


async def test_what_a_switch_holds_is_told_and_not_waited_for(
    studio: Studio, tester: httpx.AsyncClient, owner: Database
) -> None:
    """Held mail waits for a person, who does not come while a test waits."""
    async with owner.transaction() as tx:
        await tx.execute(STOP, account=studio.desk.account_id)
    await studio.press()
    async with working(studio.worker):
        told = (await tester.post("/drain", json={"timeout": 20})).json()
    assert told["quiet"] is True
    assert "mail is stopped" in {one["why"] for one in told["waiting"]}


async def test_what_waits_to_be_let_go_is_not_said_to_be_stopped(
    studio: Studio, tester: httpx.AsyncClient, owner: Database
) -> None:
    """Mail goes again; what was held waits for a press, and so does what was made since."""
    async with owner.transaction() as tx:
        await tx.execute(STOP, account=studio.desk.account_id)
        await tx.execute(
            "update switch set stopped = false where account_id = :id", id=studio.desk.account_id
        )
    given = {"to": "bo@example.org", "subject": "Your invoice", "text": "Nine euros."}
    assert (await studio.api.post("/messages", json=given)).status_code == 202
    told = (await tester.post("/drain", json={"timeout": 5})).json()
    assert told == {
        "quiet": True,
        "waiting": [
            {
                "what": "job send_message",
                "why": "mail was started again and waits to be let go",
                "due": None,
            }
        ],
    }


_WRONG: list[tuple[str, str]] = [
    ('{"timeout": -1}', "timeout"),
    ('{"timeout": "soon"}', "timeout"),
    ('{"timeout": true}', "timeout"),
    ('{"advance": 1}', "advance"),
    ('{"until": 5}', "until"),
    ('{"advance": true, "until": "late"}', "until"),
    ('{"wait": 5}', "wait"),
    ("[1]", ""),
    ("{", ""),
]


async def test_wrong_options_are_named(subtests: pytest.Subtests, tester: httpx.AsyncClient) -> None:
    for body, field in _WRONG:
        with subtests.test(body=body, field=field):
            told = await tester.post("/drain", content=body)
            assert told.status_code == 422
            assert [one["field"] for one in told.json()["errors"]] == [field]
