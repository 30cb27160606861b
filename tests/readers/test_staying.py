"""Nobody is locked out, who uses a session stays signed in, who was sent to sign in comes back (R9, R10)."""

from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from app.base.database import Database
from app.base.settings import settings
from app.readers import ReaderView
from tests.readers.mails import code_of, queued
from tests.readers.visitors import opened, sign_in, visitor

ANNA = "anna@example.org"
ELSEWHERE = (
    "//evil.example",
    "/\\evil.example",
    "https://evil.example/",
    "evil.example",
    "/\tx",
    "javascript:1",
    "",
)


@pytest.fixture
async def app(anna: ReaderView) -> AsyncIterator[Any]:
    async with opened() as web:
        yield web


@pytest.fixture
async def site(app: Any) -> AsyncIterator[httpx.AsyncClient]:
    async with visitor(app) as client:
        yield client


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GODWIT_MODE", "development")
    settings.cache_clear()


def from_network(number: int) -> dict[str, str]:
    """As our proxy tells of a visitor of the network."""
    return {"X-Forwarded-For": f"203.0.113.{number}"}


async def test_a_strangers_wrong_tries_spend_nothing_of_the_readers(
    app: Any, site: httpx.AsyncClient, owner: Database, limits: None
) -> None:
    """R10; field case I: five wrong tries, and five more at a code of their own."""
    await site.post("/sign-in", data={"email": ANNA})
    code = await code_of(owner, ANNA)
    async with visitor(app) as stranger:
        stranger.headers.update(from_network(2))
        for _ in range(2):
            for _ in range(5):
                assert (
                    await stranger.post("/sign-in/code", data={"email": ANNA, "code": "00000x"})
                ).status_code == 422
            await stranger.post("/sign-in", data={"email": ANNA})
        assert (await stranger.post("/sign-in/code", data={"email": ANNA, "code": code})).status_code == 422
    entered = await site.post("/sign-in/code", data={"email": ANNA, "code": code})
    assert (entered.status_code, entered.headers["location"]) == (303, "/me")


async def test_a_stranger_who_asks_without_end_locks_nobody_out(
    app: Any, site: httpx.AsyncClient, owner: Database, limits: None
) -> None:
    """R10: one network is refused for the address; many are mailed no more, and the last link still works."""
    async with visitor(app) as stranger:
        stranger.headers.update(from_network(2))
        told = [(await stranger.post("/sign-in", data={"email": ANNA})).status_code for _ in range(12)]
        assert told == [303] * 10 + [429] * 2
    site.headers.update(from_network(3))
    asked = await site.post("/sign-in", data={"email": ANNA})
    assert (asked.status_code, len(await queued(owner, ANNA))) == (303, 10)
    link = (await queued(owner, ANNA))[-1].path("/sign-in/")
    assert (await site.post(link)).headers["location"] == "/me"
    await site.post("/sign-out")
    assert (await sign_in(site, owner)).headers["location"] == "/me"  # signed in, mailed at once again


async def test_asking_past_what_is_mailed_is_answered_alike_for_everybody(app: Any, limits: None) -> None:
    """R10: known or not, the same page."""
    seen = []
    for address in (ANNA, "bobb@example.org"):
        async with visitor(app) as stranger:
            answers = []
            for number in range(12):
                stranger.headers.update(from_network(number))
                told = await stranger.post("/sign-in", data={"email": address})
                answers.append((told.status_code, told.headers["location"].replace(address[:4], "X")))
            seen.append(answers)
    assert seen[0] == seen[1]


@pytest.mark.parametrize("next", ["/paid-post", "/tag/birds?page=2", "/日本"])
async def test_who_was_sent_to_sign_in_comes_back_to_what_they_read(
    app: Any, site: httpx.AsyncClient, owner: Database, next: str
) -> None:
    """R9: by the code, by the link on another device, and at once when they are signed in already."""
    shown = await site.get("/sign-in", params={"next": next})
    carried = shown.text.split('name="next" value="')[1].split('"')[0]
    asked = await site.post("/sign-in", data={"email": ANNA, "next": carried})
    assert parse_qs(urlsplit(asked.headers["location"]).query)["next"] == [carried]
    assert f'name="next" value="{carried}"' in (await site.get(asked.headers["location"])).text
    link = (await queued(owner, ANNA))[-1].path("/sign-in/")
    async with visitor(app) as phone:
        page = (await phone.get(link)).text
        assert f'name="next" value="{carried}"' in page
        assert (await phone.post(link.partition("?")[0], data={"next": carried})).headers[
            "location"
        ] == carried
    entered = await sign_in(site, owner, next=carried)
    assert entered.headers["location"] == carried
    assert (await site.get("/sign-in", params={"next": next})).headers["location"] == carried


@pytest.mark.parametrize("next", ELSEWHERE)
async def test_nobody_is_sent_to_another_host(site: httpx.AsyncClient, owner: Database, next: str) -> None:
    """R9: what is no path of this site leads to their own page."""
    shown = await site.get("/sign-in", params={"next": next})
    assert 'name="next"' not in shown.text
    assert (await sign_in(site, owner, next=next)).headers["location"] == "/me"
    assert (await site.get("/sign-in", params={"next": next})).headers["location"] == "/me"
    assert "evil" not in (await queued(owner, ANNA))[-1].text


@pytest.mark.parametrize("path", ["/me", "/"])
async def test_who_only_reads_stays_signed_in(site: httpx.AsyncClient, owner: Database, path: str) -> None:
    """R9: thirty days from the last use, written once a day; it sets no cookie."""
    await sign_in(site, owner)
    for since, written in ((23, False), (25, True)):
        async with owner.transaction() as tx:
            await tx.execute(
                "update reader_session set seen_at = godwit_now() - make_interval(hours => :since),"
                " expires_at = godwit_now() + interval '1 day'",
                since=since,
            )
        shown = await site.get(path)
        assert (shown.status_code, "set-cookie" in shown.headers) == (200, False)
        async with owner.transaction() as tx:
            left = await tx.value("select expires_at > godwit_now() + interval '29 days' from reader_session")
        assert left is written
