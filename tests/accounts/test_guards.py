"""Who may enter (accounts, promises 5 and 6), as programs and people meet it."""

import asyncio
from itertools import islice
from typing import Any

import httpx
import pytest
from litestar import post

from app.accounts import ApiCaller
from app.base import ids
from app.base.database import Database
from app.web import routes
from tests.accounts.makers import api_key, open_account, sign_in
from tests.web_server import serving


async def test_another_accounts_studio_is_not_there(ana: httpx.AsyncClient, web: Database) -> None:
    """Promise 5: not there, as one that never was."""
    await open_account(web, "bob@example.com", "mudflats")
    await sign_in(ana, web, "ana@example.com")
    for path in ("/studio/mudflats", "/studio/mudflats/settings", "/studio/mudflats/posts", "/studio/never"):
        assert (await ana.get(path)).status_code == 404
    changed = await ana.post("/studio/mudflats/settings", data={"name": "Mine now"})
    assert changed.status_code == 404


async def test_every_route_of_the_studio_is_guarded(studio: str) -> None:
    """Not only those whose handlers ask who is there."""
    async with httpx.AsyncClient(base_url=studio, headers={"Origin": studio}) as stranger:
        for handler in routes.STUDIO:
            for path in handler.paths:
                where = "/studio/tidelines" + path.replace("{", "").replace(":uuid}", "").replace(":int}", "")
                for method in handler.http_methods:
                    answer = await stranger.request(method, where)
                    assert answer.status_code in (303, 401, 404, 405), (method, where, answer.status_code)


async def test_a_program_without_a_live_key_is_told_how(studio: str, web: Database) -> None:
    await open_account(web, "ana@example.com", "tidelines")
    key = await api_key(web, "tidelines")
    async with httpx.AsyncClient(base_url=studio) as program:
        for headers in ({}, {"Authorization": "Bearer gdw_nope"}, {"Authorization": "Basic x"}):
            told = await program.get("/api/v1/", headers=headers)
            assert told.status_code == 401
            assert told.headers["content-type"] == "application/problem+json"
            assert told.headers["www-authenticate"].startswith("Bearer")
            assert set(told.json()) == {"type", "title", "status", "detail", "errors"}
        assert (await program.get("/api/v1/", headers=key)).json()["account"] == "tidelines"


GATES: dict[str, asyncio.Event] = {}


@post("/tests/make")
async def make(caller: ApiCaller, data: dict[str, Any]) -> dict[str, Any]:
    """A call that waits at a gate when it names one, and does something that can be counted."""
    if data.get("refuse"):
        from app.base.errors import Conflict

        raise Conflict("Not now.")
    if "gate" in data:
        await GATES[data["gate"]].wait()
    async with caller.transaction() as tx:
        await tx.execute(
            "insert into newsletter (account_id, id, slug, name) values (:account, :id, :slug, 'x')",
            account=caller.account.id,
            id=ids.new(),
            slug=f"n-{ids.new().hex}",
        )
        made = await tx.value(
            "select count(*) from newsletter where account_id = :account", account=caller.account.id
        )
    return {"made": made}


@pytest.fixture
async def program(settings_env: object, web: Database, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(routes, "API", (*routes.API, make))
    await open_account(web, "ana@example.com", "tidelines")
    headers = await api_key(web, "tidelines")
    async with serving() as url, httpx.AsyncClient(base_url=url, headers=headers, timeout=20) as client:
        yield client


async def test_one_key_one_answer(program: httpx.AsyncClient, web: Database) -> None:
    """Promise 6."""
    key = {"Idempotency-Key": "once"}
    first = await program.post("/api/v1/tests/make", json={}, headers=key)
    again = await program.post("/api/v1/tests/make", json={}, headers=key)
    assert (again.status_code, again.content) == (first.status_code, first.content)
    assert again.headers["idempotency-replayed"] == "true"
    assert again.headers["content-type"] == first.headers["content-type"]
    other = await program.post("/api/v1/tests/make", json={"x": 1}, headers=key)
    assert other.status_code == 409
    # Another account's keys are its own.
    await open_account(web, "bob@example.com", "mudflats")
    theirs = await program.post(
        "/api/v1/tests/make", json={"x": 1}, headers=key | await api_key(web, "mudflats")
    )
    assert theirs.status_code == 201


async def test_of_many_at_once_one_is_made(program: httpx.AsyncClient) -> None:
    """Promise 6: the others are asked to come again, and then get the first answer."""
    gate = GATES["race"] = asyncio.Event()
    asked = {"json": {"gate": "race"}, "headers": {"Idempotency-Key": "race"}}
    calls = [asyncio.create_task(program.post("/api/v1/tests/make", **asked)) for _ in range(6)]
    for early in islice(asyncio.as_completed(calls), 5):
        refused = await early
        assert (refused.status_code, refused.headers["retry-after"]) == (409, "1")
    gate.set()
    told = await asyncio.gather(*calls)
    assert sorted(answer.status_code for answer in told) == [201, 409, 409, 409, 409, 409]
    after = await program.post("/api/v1/tests/make", **asked)
    assert after.headers["idempotency-replayed"] == "true"
    assert after.json() == {"made": 2}  # the account's first newsletter, and one more


async def test_a_crash_in_between_does_not_block_the_key_for_ever(
    program: httpx.AsyncClient, owner: Database
) -> None:
    """Promise 6."""
    key = {"Idempotency-Key": "crashed"}
    await program.post("/api/v1/tests/make", json={}, headers=key)
    async with owner.transaction() as tx:
        await tx.execute("update idempotency set status = null, answer = null, finished_at = null")
    assert (await program.post("/api/v1/tests/make", json={}, headers=key)).status_code == 409
    async with owner.transaction() as tx:
        await tx.execute("update idempotency set created_at = created_at - interval '61 seconds'")
    assert (await program.post("/api/v1/tests/make", json={}, headers=key)).status_code == 201


async def test_a_refused_call_may_be_mended_under_its_key(program: httpx.AsyncClient) -> None:
    key = {"Idempotency-Key": "mend"}
    assert (await program.post("/api/v1/tests/make", json={"refuse": True}, headers=key)).status_code == 409
    assert (await program.post("/api/v1/tests/make", json={}, headers=key)).status_code == 201


async def test_a_key_that_cannot_be_kept_is_refused(program: httpx.AsyncClient) -> None:
    for key in ("", "x" * 256):
        told = await program.post("/api/v1/tests/make", json={}, headers={"Idempotency-Key": key})
        assert told.status_code == 422


async def test_a_key_may_call_so_often(
    settings_env: object, web: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    from app.base.settings import settings

    monkeypatch.setenv("GODWIT_MODE", "development")
    monkeypatch.setenv("GODWIT_API_RATE", "2")
    settings.cache_clear()
    await open_account(web, "ana@example.com", "tidelines")
    headers = await api_key(web, "tidelines")
    async with serving() as url, httpx.AsyncClient(base_url=url, headers=headers) as client:
        told = [await client.get("/api/v1/") for _ in range(12)]
    assert [answer.status_code for answer in told[:8]] == [200] * 8
    refused = told[-1]
    assert refused.status_code == 429
    assert int(refused.headers["retry-after"]) >= 1
