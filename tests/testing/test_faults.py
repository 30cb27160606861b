"""Ordering faults: named when unknown, counted when they fire, taken back."""

from typing import Any

import httpx
import pytest

from tests.broadcasts.makers import Studio
from tests.ledger.makers import working

pytestmark = pytest.mark.anyio

SLOW = {"target": "provider", "kind": "slow"}


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


@pytest.mark.parametrize(
    ("order", "fields", "words"),
    [
        ({"target": "provider", "kind": "explode"}, ["kind"], "slow"),
        ({"target": "redis", "kind": "slow"}, ["target"], "provider"),
        ({}, ["target", "kind"], "slow"),
        (SLOW | {"match": {"endpoint": "x"}}, ["match"], '"to"'),
        (SLOW | {"match": {"to": "nobody"}}, ["match.to"], ""),
        (SLOW | {"times": 0}, ["times"], "1 to"),
        (SLOW | {"after": 1.5}, ["after"], "whole"),
        (SLOW | {"delay": "long"}, ["delay"], "600"),
        (SLOW | {"delay": 1e400}, None, ""),
        (SLOW | {"colour": "red"}, ["colour"], "delay"),
    ],
)
async def test_an_order_that_cannot_be_is_named(
    tester: httpx.AsyncClient, order: dict[str, Any], fields: list[str] | None, words: str
) -> None:
    content = None if fields else '{"target":"provider","kind":"slow","delay":1e400}'
    told = await tester.post("/faults", **({"content": content} if content else {"json": order}))
    assert told.status_code == 422
    if fields:
        assert [one["field"] for one in told.json()["errors"]] == fields
    assert words in told.json()["detail"]
    assert (await tester.get("/faults")).json() == {"items": []}
