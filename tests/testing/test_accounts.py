"""Accounts for testers: the same seed is the same account; a session without the mail."""

from typing import Any

import httpx
import pytest

from app.base.database import Database
from app.base.settings import settings
from tests.web_server import browser, client_of

pytestmark = pytest.mark.anyio


def api_of(godwit: str, made: dict[str, Any]) -> httpx.AsyncClient:
    headers = {"Authorization": f"Bearer {made['api_key']}"}
    return client_of(f"{godwit}/api/v1", headers=headers, timeout=20)


def browser_of(godwit: str, made: dict[str, Any]) -> httpx.AsyncClient:
    return browser(godwit, cookies={one["name"]: one["value"] for one in made["storage_state"]["cookies"]})


async def everything(godwit: str, made: dict[str, Any]) -> dict[str, Any]:
    """Names and ids as the API tells them."""
    async with api_of(godwit, made) as api:
        readers = (await api.get("/readers?limit=200")).json()["items"]
        posts = (await api.get("/posts?limit=200")).json()["items"]
    return {
        "slug": made["slug"],
        "creator": made["creator"],
        "newsletters": made["newsletters"],
        "endpoints": [(one["id"], one["receiver"]) for one in made["endpoints"]],
        "readers": sorted((one["id"], one["email"], one["name"]) for one in readers),
        "posts": sorted((one["id"], one["title"], one["slug"]) for one in posts),
    }


async def test_an_account_holds_what_was_asked_for(godwit: str, tester: httpx.AsyncClient) -> None:
    wanted = {"seed": 7, "readers": 25, "posts": 3, "newsletters": 2, "endpoints": 2}
    answer = await tester.post("/accounts", json=wanted)
    assert answer.status_code == 201, answer.text
    made = answer.json()
    found = await everything(godwit, made)
    assert (len(found["readers"]), len(found["posts"]), len(found["newsletters"])) == (25, 3, 2)
    assert [one["secret"][:6] for one in made["endpoints"]] == ["whsec_", "whsec_"]
    assert len({one["url"] for one in made["endpoints"]}) == 2
    assert made["addresses"]["site"] == settings().site_url(made["slug"])
    async with browser_of(godwit, made) as page:
        studio = await page.get(f"/studio/{made['slug']}/readers")
        assert studio.status_code == 200
        assert "25" in studio.text


async def test_the_same_seed_is_the_same_account(godwit: str, tester: httpx.AsyncClient) -> None:
    """Also when it is there already, with something else in it: it is made anew."""
    wanted = {"seed": 42, "readers": 12, "posts": 2, "newsletters": 3, "endpoints": 1}
    first = (await tester.post("/accounts", json=wanted)).json()
    before = await everything(godwit, first)
    async with api_of(godwit, first) as api:
        assert (await api.post("/posts", json={"title": "Mine"})).status_code == 201
    again = (await tester.post("/accounts", json=wanted)).json()
    assert await everything(godwit, again) == before
    other = (await tester.post("/accounts", json=wanted | {"seed": 43})).json()
    told = await everything(godwit, other)
    assert told["slug"] != before["slug"]
    assert not {one[0] for one in told["readers"]} & {one[0] for one in before["readers"]}


async def test_everybody_in_it_may_be_mailed(godwit: str, tester: httpx.AsyncClient) -> None:
    made = (await tester.post("/accounts", json={"readers": 9, "posts": 1})).json()
    async with api_of(godwit, made) as api:
        states = {one["state"] for one in (await api.get("/readers")).json()["items"]}
        post = (await api.get("/posts")).json()["items"][0]
        assert states == {"active"}
        told = await api.post(f"/posts/{post['id']}/publish", json={"site": False, "email": {}})
        assert told.status_code == 202, told.text


async def test_without_a_seed_each_is_another(tester: httpx.AsyncClient) -> None:
    made = [(await tester.post("/accounts")).json() for _ in range(2)]
    assert made[0]["slug"] != made[1]["slug"]
    again = (await tester.post("/accounts", json={"seed": made[0]["seed"]})).json()
    assert again["slug"] == made[0]["slug"]


_NOT_NOW: list[tuple[dict[str, Any], str]] = [
    ({"seed": -1}, "seed"),
    ({"seed": "x"}, "seed"),
    ({"readers": 1.5}, "readers"),
    ({"readers": 10**9}, "readers"),
    ({"newsletters": 0}, "newsletters"),
    ({"endpoints": 21}, "endpoints"),
    ({"limits": True}, "limits"),
    ({"colour": "red"}, "colour"),
]


async def test_what_cannot_be_or_is_of_later_is_named(
    subtests: pytest.Subtests, tester: httpx.AsyncClient
) -> None:
    """Promise 2."""
    for body, field in _NOT_NOW:
        with subtests.test(body=body, field=field):
            told = await tester.post("/accounts", json=body)
            assert told.status_code == 422
            assert [one["field"] for one in told.json()["errors"]] == [field]


async def test_a_creator_signs_in_without_the_mail(godwit: str, tester: httpx.AsyncClient) -> None:
    made = (await tester.post("/accounts", json={"seed": 5})).json()
    told = await tester.post(
        "/sign-in", json={"email": made["creator"]["email"].upper(), "host": "localhost"}
    )
    assert told.status_code == 200, told.text
    assert told.headers["set-cookie"].startswith("godwit_session=")
    assert told.json()["storage_state"]["cookies"][0]["domain"] == "localhost"
    async with browser_of(godwit, told.json()) as page:
        assert (await page.get(f"/studio/{made['slug']}")).status_code == 200
    async with browser(godwit) as nobody:
        assert (await nobody.get(f"/studio/{made['slug']}")).status_code != 200
    assert (await tester.get("/mailbox?kind=code")).json()["items"] == []


async def test_a_reader_signs_in_on_their_site_without_the_mail(
    godwit: str, tester: httpx.AsyncClient, owner: Database
) -> None:
    """Contract: `POST /testing/sign-in {email, host}`, the host of a site."""
    made = (await tester.post("/accounts", json={"seed": 6, "readers": 2})).json()
    async with owner.transaction() as tx:
        email = await tx.value("select email from reader order by email limit 1")
    host = f"{made['slug']}.localhost"
    told = await tester.post("/sign-in", json={"email": email, "host": host})
    assert told.status_code == 200, told.text
    assert told.headers["set-cookie"].startswith("godwit_reader=")
    assert told.json()["reader"]["email"] == email
    assert told.json()["storage_state"]["cookies"][0]["domain"] == host
    cookie = told.headers["set-cookie"].split(";")[0]
    async with browser(godwit) as visitor:
        mine = await visitor.get("/me", headers={"Host": host, "Cookie": cookie})
        assert (mine.status_code, email in mine.text) == (200, True)
    stranger = await tester.post("/sign-in", json={"email": "nobody@example.org", "host": host})
    assert (stranger.status_code, "is no reader of" in stranger.text) == (404, True)


_REFUSED: list[tuple[Any, int]] = [
    ({"email": "nobody@example.org"}, 404),
    ({}, 422),
    ({"email": "no address"}, 422),
    ({"email": 7}, 422),
    ({"email": "ana@example.org", "host": "nowhere.localhost"}, 404),
    ({"email": "ana@example.org", "host": "elsewhere.example"}, 422),
    ({"email": "ana@example.org", "host": "http://["}, 422),
]


async def test_who_cannot_sign_in_is_told_why(subtests: pytest.Subtests, tester: httpx.AsyncClient) -> None:
    for body, status in _REFUSED:
        with subtests.test(body=body, status=status):
            told = await tester.post("/sign-in", json=body)
            assert (told.status_code, "set-cookie" in told.headers) == (status, False), told.text
