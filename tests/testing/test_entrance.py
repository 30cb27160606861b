"""Who gets to /testing, and when there is one."""

from typing import Any

import httpx
import pytest

from app.base.settings import settings
from tests.web_server import client_of

pytestmark = pytest.mark.anyio

TOKEN = "a-token-of-at-least-thirty-two-characters"  # noqa: S105 - opens nothing outside this test


def from_elsewhere(web: Any, **headers: str) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(web, client=("203.0.113.9", 1234))
    return httpx.AsyncClient(transport=transport, base_url=settings().base_url, headers=headers)


def application() -> Any:
    from app.web.asgi import Web  # what it imports reads the settings, which a test must have set

    return Web(settings())


async def test_another_machine_needs_the_token(settings_env: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GODWIT_TESTING_TOKEN", TOKEN)
    settings.cache_clear()
    web = application()
    async with (
        from_elsewhere(web) as stranger,
        from_elsewhere(web, Authorization=f"Bearer {TOKEN}") as tester,
    ):
        refused = await stranger.get("/testing/faults")
        assert refused.status_code == 401
        assert refused.json()["title"] == "Please sign in"
        assert (await stranger.post("/testing/nothing")).status_code == 401
        assert (await tester.get("/testing/faults")).status_code == 200
    await web.database.close()


async def test_without_a_token_nobody_comes_from_elsewhere(settings_env: object) -> None:
    web = application()
    async with from_elsewhere(web, Authorization="Bearer ") as stranger:
        assert (await stranger.get("/testing/faults")).status_code == 401
    await web.database.close()


async def test_a_proxy_on_this_machine_is_not_this_machine(godwit: str) -> None:
    async with client_of(godwit, headers={"X-Forwarded-For": "203.0.113.9"}) as passed_on:
        assert (await passed_on.get("/testing/faults")).status_code == 401
        assert (await passed_on.get("/mailbox")).status_code == 303


async def test_a_page_of_another_site_does_not_drive_it(godwit: str) -> None:
    async with client_of(godwit, headers={"Origin": "https://evil.example"}) as client:
        told = await client.post("/testing/faults", content='{"target":"provider","kind":"slow"}')
        assert told.status_code == 403


async def test_outside_testing_mode_there_is_no_such_place(
    settings_env: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GODWIT_MODE", "development")
    settings.cache_clear()
    web = application()
    async with httpx.AsyncClient(transport=httpx.ASGITransport(web), base_url=settings().base_url) as client:
        assert (await client.get("/testing/mailbox")).status_code == 404
        assert (await client.delete("/testing/mailbox")).status_code in (404, 405)
    await web.database.close()


_LATER: list[str] = ["/trace", "/hooks"]


async def test_calls_of_later_are_told_by_name(subtests: pytest.Subtests, tester: httpx.AsyncClient) -> None:
    for path in _LATER:
        with subtests.test(path=path):
            for told in (await tester.get(path), await tester.post(path, json={})):
                assert told.status_code == 404
                assert "POST /testing/drain" in told.json()["detail"]


async def test_its_address_lists_the_calls_and_the_faults(tester: httpx.AsyncClient) -> None:
    told = (await tester.get("")).json()
    assert "POST /testing/drain" in told["calls"]
    assert "accept_then_drop" in told["faults"]["provider"]
