"""Receivers of webhooks that testers make: real addresses, answers as ordered, faults, and what came."""

import asyncio
from base64 import b64decode
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import httpx
import pytest
from standardwebhooks.webhooks import Webhook

from app.accounts import account_named
from app.base import rehearsal
from app.base.database import Database
from app.webhooks import rotate_secret
from tests.broadcasts.makers import Studio, an_empty_mailbox
from tests.web_server import client_of, serving

pytestmark = pytest.mark.anyio
BODY = '{"title":"Zoë 😊"}'.encode()


class Made:
    """A receiver as its maker knows it."""

    def __init__(self, tester: httpx.AsyncClient, told: dict[str, str]) -> None:
        self.tester, self.id, self.url = tester, told["id"], told["url"]

    async def called(self, body: bytes = BODY) -> httpx.Response:
        """Call it as a stranger does, over a connection of its own."""
        async with client_of("", timeout=5) as client:
            return await client.post(self.url, content=body, headers={"Webhook-Id": "evt_1"})

    async def requests(self) -> list[dict[str, Any]]:
        """What came, oldest first."""
        return (await self.tester.get(f"/receivers/{self.id}/requests")).json()["items"][::-1]

    async def answered(self) -> list[Any]:
        """What was said to each."""
        return [one["answered"] for one in await self.requests()]

    async def fails(self, kind: str, **when: Any) -> str:
        """Order a fault at it; its id."""
        order = {"target": "endpoint", "kind": kind, "match": {"endpoint": self.id}, **when}
        told = await self.tester.post("/faults", json=order)
        assert told.status_code == 201, told.text
        return told.json()["id"]


async def made(tester: httpx.AsyncClient, **how: Any) -> Made:
    told = await tester.post("/receivers", json=how)
    assert told.status_code == 201, told.text
    return Made(tester, told.json())


async def test_it_answers_as_ordered_and_keeps_what_came_as_it_came(
    studio: Studio, tester: httpx.AsyncClient
) -> None:
    receiver = await made(tester, answers=[500, 302, 204, 200])
    assert [(await receiver.called()).status_code for _ in range(5)] == [500, 302, 204, 200, 200]
    came = await receiver.requests()
    assert [one["answered"] for one in came] == [500, 302, 204, 200, 200]
    assert {b64decode(one["body_base64"]) for one in came} == {BODY}
    assert {"name": "webhook-id", "value": "evt_1"} in came[0]["headers"]
    assert {one["verified"] for one in came} == {None}
    assert came[0]["at"] <= came[-1]["at"]
    newest = (await tester.get(f"/receivers/{receiver.id}/requests?limit=1")).json()["items"]
    assert newest == [came[-1]]


async def test_a_delay_is_waited_for_and_others_need_not_wait(
    studio: Studio, tester: httpx.AsyncClient
) -> None:
    slow, quick = await made(tester, delay=30), await made(tester)
    waiting = asyncio.create_task(slow.called())
    assert (await quick.called()).status_code == 200
    assert not waiting.done()
    waiting.cancel()
    await asyncio.wait([waiting])


async def test_an_unknown_one_is_nobodys(studio: Studio, tester: httpx.AsyncClient) -> None:
    receiver = await made(tester)
    receiver.url = receiver.url.replace(receiver.id, "nobody")
    assert (await receiver.called()).status_code == 404
    assert await receiver.requests() == []
    assert (await tester.get("/receivers/nobody/requests")).status_code == 404
    assert (await tester.get(f"/receivers/{receiver.id}/requests?account=other")).status_code == 404


async def test_faults_strike_so_often_and_take_no_ordered_answer(
    studio: Studio, tester: httpx.AsyncClient
) -> None:
    receiver, other = await made(tester, answers=[201, 202]), await made(tester)
    await receiver.fails("accept_then_500", times=1)
    await receiver.fails("refuse", after=1, times=1)
    fault = await receiver.fails("rate_limited", after=2, times=1, delay=2.5)
    assert (await other.called()).status_code == 200
    told = [await receiver.called() for _ in range(5)]
    assert [one.status_code for one in told] == [500, 400, 429, 201, 202]
    assert told[2].headers["Retry-After"] == "3"
    came = await receiver.requests()
    assert [one["fault"] for one in came] == ["accept_then_500", "refuse", "rate_limited", None, None]
    ordered = (await tester.get("/faults")).json()["items"]
    assert {one["id"]: one["fired"] for one in ordered}[fault] == 1
    assert [one["match"] for one in ordered] == [{"endpoint": receiver.id}] * 3


@pytest.mark.parametrize(("kind", "kept"), [("accept_then_drop", 1), ("cut", 1), ("down", 0)])
async def test_connections_break_and_what_was_taken_is_kept(
    studio: Studio, tester: httpx.AsyncClient, kind: str, kept: int
) -> None:
    receiver = await made(tester)
    await receiver.fails(kind, times=1)
    with pytest.raises((httpx.RemoteProtocolError, httpx.ReadError)):
        await receiver.called()
    assert await receiver.answered() == [None] * kept
    assert (await receiver.called()).status_code == 200


async def test_it_hangs_or_is_slow_by_order(studio: Studio, tester: httpx.AsyncClient) -> None:
    receiver = await made(tester)
    await receiver.fails("hang", times=1)
    async with client_of("", timeout=0.2) as client:
        with pytest.raises(httpx.ReadTimeout):
            await client.post(receiver.url)
    await receiver.fails("slow", delay=0.05, times=1)
    assert (await receiver.called()).status_code == 200
    assert [(one["fault"], one["answered"]) for one in await receiver.requests()] == [
        ("hang", None),
        ("slow", 200),
    ]


async def test_it_survives_its_process_and_where_it_may_be_called_is_known(
    worker: Database, owner: Database
) -> None:
    """Promise 8; the worker's role sees exactly the addresses of receivers."""
    async with an_empty_mailbox(owner):
        async with serving() as url, client_of(f"{url}/testing") as tester:
            await tester.post("/accounts", json={})
            assert await rehearsal.receivers(worker) == frozenset()
            receiver = await made(tester)
        assert await rehearsal.receivers(worker) == {("127.0.0.1", httpx.URL(receiver.url).port)}
        with pytest.raises(httpx.ConnectError):
            await receiver.called()
        async with serving() as url, client_of(f"{url}/testing") as receiver.tester:
            assert (await receiver.called()).status_code == 200
            assert await receiver.answered() == [200]


async def test_a_reset_forgets_them(studio: Studio, tester: httpx.AsyncClient, worker: Database) -> None:
    receiver = await made(tester)
    await receiver.called()
    await tester.post("/reset?account=tidelines")
    assert (await receiver.called()).status_code == 404
    assert (await tester.get(f"/receivers/{receiver.id}/requests")).status_code == 404
    assert await rehearsal.receivers(worker) == frozenset()


def signed(secret: str, name: str = "evt_1", at: datetime | None = None) -> dict[str, str]:
    """The headers of a delivery, by the library that receivers elsewhere use."""
    at = at or datetime.now(UTC)
    return {
        "webhook-id": name,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": Webhook(secret).sign(name, at, BODY.decode()),
    }


async def test_what_a_live_secret_signed_is_verified_also_while_it_is_rotated(
    tester: httpx.AsyncClient, web: Database, owner: Database
) -> None:
    """W4: by the secrets of the webhook that has the receiver's address, of its account."""
    account = (await tester.post("/accounts", json={"endpoints": 2})).json()
    (known, other) = account["endpoints"]
    async with web.transaction() as tx:
        account_id = await account_named(tx, account["slug"])
    async with web.transaction(account_id) as tx:
        newer = await rotate_secret(tx, UUID(known["id"]), 1)
    long_ago = datetime.now(UTC) - timedelta(hours=1)
    async with client_of("") as client:
        for headers in (
            signed(known["secret"]),
            signed(newer),
            signed(other["secret"]),
            signed(newer, at=long_ago),
            {},
        ):
            await client.post(known["url"], content=BODY, headers=headers)
    came = (await tester.get(f"/receivers/{known['receiver']}/requests")).json()["items"]
    assert [one["verified"] for one in came[::-1]] == [True, True, False, False, False]


async def test_a_fault_may_name_the_webhook(tester: httpx.AsyncClient) -> None:
    account = (await tester.post("/accounts", json={"endpoints": 2})).json()
    (struck, spared) = account["endpoints"]
    order = {"target": "endpoint", "kind": "refuse", "match": {"endpoint": struck["id"]}}
    told = (await tester.post("/faults", json=order)).json()
    assert told["match"] == {"endpoint": struck["receiver"]}
    async with client_of("") as client:
        assert (await client.post(struck["url"])).status_code == 400
        assert (await client.post(spared["url"])).status_code == 200


_REFUSED: list[tuple[dict[str, Any], list[str]]] = [
    ({"answers": []}, ["answers"]),
    ({"answers": [199]}, ["answers"]),
    ({"answers": ["200"]}, ["answers"]),
    ({"answers": [True]}, ["answers"]),
    ({"answers": 200}, ["answers"]),
    ({"answers": [200] * 1001}, ["answers"]),
    ({"delay": -1}, ["delay"]),
    ({"delay": "long"}, ["delay"]),
    ({"url": "http://127.0.0.1"}, ["url"]),
]


async def test_what_cannot_be_ordered_is_named(
    subtests: pytest.Subtests, studio: Studio, tester: httpx.AsyncClient
) -> None:
    for given, fields in _REFUSED:
        with subtests.test(given=given):
            told = await tester.post("/receivers", json=given)
            assert told.status_code == 422
            assert [one["field"] for one in told.json()["errors"]] == fields
    order = {"target": "endpoint", "kind": "down", "match": {"endpoint": "nobody"}}
    told = await tester.post("/faults", json=order)
    assert (told.status_code, [one["field"] for one in told.json()["errors"]]) == (422, ["match"])
    assert (await tester.get("/faults")).json()["items"] == []
