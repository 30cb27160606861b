"""Ordering faults: named when unknown, counted when they fire, taken back."""

import subprocess
import sys
from typing import Any

import httpx
import pytest

from app.base.database import Database
from app.base.errors import Unavailable
from app.jobs import registered_kinds
from tests.broadcasts.makers import Studio
from tests.testing.makers import working
from workers import catalog

pytestmark = pytest.mark.anyio

SLOW = {"target": "provider", "kind": "slow"}
KILL = {"target": "worker", "kind": "kill", "at": "after_claim"}


async def test_a_fault_fires_so_often_and_says_how_often(studio: Studio, tester: httpx.AsyncClient) -> None:
    ordered = await tester.post(
        "/faults", json=SLOW | {"delay": 0.05, "times": 1, "match": {"to": "READER1@example.org"}}
    )
    assert ordered.status_code == 201
    assert ordered.json() == {
        "id": ordered.json()["id"],
        "target": "provider",
        "kind": "slow",
        "match": {"to": "reader1@example.org"},
        "after": 0,
        "times": 1,
        "delay": 0.05,
        "seen": 0,
        "fired": 0,
    }
    await studio.press()
    async with working(studio.worker):
        assert (await tester.post("/drain", json={"timeout": 30})).json()["quiet"] is True
    found = (await tester.get("/faults")).json()["items"]
    assert [(fault["seen"], fault["fired"]) for fault in found] == [(1, 1)]


async def test_a_slow_fault_takes_three_tenths_of_a_second_unless_told(tester: httpx.AsyncClient) -> None:
    assert (await tester.post("/faults", json=SLOW)).json()["delay"] == 0.3


async def test_faults_are_taken_back_one_or_all(tester: httpx.AsyncClient) -> None:
    first = (await tester.post("/faults", json=SLOW)).json()["id"]
    await tester.post("/faults", json=SLOW)
    assert (await tester.delete(f"/faults/{first}")).json() == {"deleted": 1}
    assert (await tester.delete(f"/faults/{first}")).status_code == 404
    assert (await tester.delete("/faults/x")).status_code == 404
    assert (await tester.delete("/faults")).json() == {"deleted": 1}
    assert (await tester.get("/faults")).json() == {"items": []}


async def test_tests_of_two_accounts_take_back_their_own_faults(tester: httpx.AsyncClient) -> None:
    """By `?account=`, and by its reset; who names none takes back all there are."""
    made = [(await tester.post("/accounts", json={"seed": seed})).json()["slug"] for seed in (1, 2)]
    one, two = ({"account": slug} for slug in made)
    for whose in (one, two, two, {}):
        assert (await tester.post("/faults", params=whose, json=SLOW)).status_code == 201
    assert (await tester.delete("/faults", params=one)).json() == {"deleted": 1}
    [mine, _] = (await tester.get("/faults", params=two)).json()["items"]
    assert (await tester.delete(f"/faults/{mine['id']}", params=one)).status_code == 404
    assert (await tester.get("/faults", params={"account": "three"})).status_code == 404
    await tester.post("/reset", params=two)
    [left] = (await tester.get("/faults")).json()["items"]
    assert int(left["id"]) > int(mine["id"])
    assert (await tester.delete("/faults")).json() == {"deleted": 1}


async def test_every_kind_of_the_provider_can_be_ordered(tester: httpx.AsyncClient) -> None:
    for kind in ("accept_then_drop", "accept_then_500", "rate_limited", "refuse", "slow", "hang", "down"):
        told = await tester.post("/faults", json={"target": "provider", "kind": kind})
        assert (told.status_code, told.json()["kind"], told.json()["times"]) == (201, kind, None)


async def test_a_refused_reader_is_failed_and_the_others_get_theirs(
    studio: Studio, tester: httpx.AsyncClient
) -> None:
    """L8: the reason is on the row; the mailbox splits the call around the one address."""
    order = {"target": "provider", "kind": "refuse", "match": {"to": "reader5@example.org"}}
    await tester.post("/faults", json=order)
    broadcast_id = await studio.press()
    async with working(studio.worker):
        assert (await tester.post("/drain", json={"timeout": 28})).json()["quiet"] is True
    told = (await studio.api.get(f"/broadcasts/{broadcast_id}")).json()
    assert (told["state"], told["sent"], told["failed"]) == ("finished", 11, 1)
    failed = (await studio.api.get(f"/broadcasts/{broadcast_id}/sends?state=failed")).json()["items"]
    assert [one["email"] for one in failed] == ["reader5@example.org"]
    assert "as a test ordered" in failed[0]["reason"]


async def test_cut_connections_come_back_by_themselves(
    studio: Studio, tester: httpx.AsyncClient, worker: Database
) -> None:
    """Every connection of web and workers ends at once, in the middle of what they do."""
    with pytest.raises(Unavailable):  # noqa: PT012 - the cut has to come between
        async with worker.transaction() as tx:
            told = await tester.post("/faults", json={"target": "database", "kind": "cut"})
            assert (told.status_code, told.json()["fired"]) == (201, 1), told.text
            await tx.value("select 1")
    async with worker.transaction() as tx:
        assert await tx.value("select 1") == 1
    assert (await studio.api.get("/readers")).status_code == 200


def test_the_web_process_knows_every_kind_of_job_to_strike() -> None:
    """It has not loaded the workers' catalog, as this process has."""
    catalog.load()
    known = {kind.name for kind in registered_kinds() if not kind.name.startswith("test_")}
    asked = "import app.web.routes, app.jobs; print(*(kind.name for kind in app.jobs.registered_kinds()))"
    told = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert set(told.stdout.split()) == known


_REFUSED: list[tuple[dict[str, Any], list[str] | None, str]] = [
    ({"target": "provider", "kind": "explode"}, ["kind"], "slow"),
    ({"target": "provider", "kind": []}, ["kind"], "slow"),
    ({"target": "provider", "kind": {}, "delay": 1}, ["kind"], "slow"),
    ({"target": "provider", "kind": 5}, ["kind"], "slow"),
    ({"target": 5, "kind": "slow"}, ["target"], "provider"),
    ({"target": [], "kind": ["slow"]}, ["target", "kind"], "provider"),
    ({"target": "redis", "kind": "cut"}, ["target"], "later"),
    ({"target": "endpoint", "kind": "explode"}, ["kind"], "accept_then_drop"),
    ({"target": "endpoint", "kind": "down", "match": {"to": "a@b.example"}}, ["match"], "receiver"),
    ({"target": "endpoint", "kind": "down", "at": "after_claim"}, ["at"], ""),
    ({"target": "moon", "kind": "slow"}, ["target"], "provider"),
    ({"target": "worker", "kind": "slow", "at": "after_claim"}, ["kind"], "kill"),
    ({"target": "worker", "kind": "kill"}, ["at"], "before_settle"),
    ({"target": "worker", "kind": "kill", "at": "noon"}, ["at"], "after_talk"),
    (KILL | {"match": {"in": "books"}}, ["match"], "ledger"),
    (KILL | {"match": {"job": 5}}, ["match"], "ledger"),
    (KILL | {"match": {"job": "nope"}}, ["match"], "build_broadcast"),
    (KILL | {"match": {"in": "ledger", "job": "look_up"}}, ["match"], "look_up_batch"),
    (KILL | {"delay": 1}, ["delay"], "slow"),
    ({"target": "database", "kind": "cut", "times": 3}, ["times"], ""),
    (SLOW | {"at": "after_claim"}, ["at"], ""),
    ({"target": "provider", "kind": "down", "delay": 3}, ["delay"], "slow"),
    ({}, ["target", "kind"], "slow"),
    (SLOW | {"match": {"endpoint": "x"}}, ["match"], '"to"'),
    (SLOW | {"match": {"to": "nobody"}}, ["match.to"], ""),
    (SLOW | {"times": 0}, ["times"], "1 to"),
    (SLOW | {"after": 1.5}, ["after"], "whole"),
    (SLOW | {"delay": "long"}, ["delay"], "600"),
    (SLOW | {"delay": 1e400}, None, ""),
    (SLOW | {"colour": "red"}, ["colour"], "delay"),
]


async def test_an_order_that_cannot_be_is_named(subtests: pytest.Subtests, tester: httpx.AsyncClient) -> None:
    for order, fields, words in _REFUSED:
        with subtests.test(order=order, fields=fields, words=words):
            content = None if fields else '{"target":"provider","kind":"slow","delay":1e400}'
            told = await tester.post("/faults", **({"content": content} if content else {"json": order}))
            assert told.status_code == 422
            if fields:
                assert [one["field"] for one in told.json()["errors"]] == fields
            assert words in told.json()["detail"]
            assert (await tester.get("/faults")).json() == {"items": []}
