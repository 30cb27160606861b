"""Signing in as a reader (readers R9, R10; field cases D, E, I, L)."""

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from app.base.database import Database
from app.base.settings import settings
from app.readers import ReaderView
from app.switches import stop
from tests.readers.conftest import FLOOR
from tests.readers.mails import code_of, queued
from tests.readers.makers import Place, a_place
from tests.readers.visitors import now, opened, sign_in, visitor

ANNA = "anna@example.org"


@pytest.fixture
async def app(place: Place) -> AsyncIterator[Any]:
    async with opened() as web:
        yield web


@pytest.fixture
async def site(app: Any) -> AsyncIterator[httpx.AsyncClient]:
    async with visitor(app) as client:
        yield client


async def test_a_mailed_code_opens_the_readers_own_page(
    anna: ReaderView, site: httpx.AsyncClient, owner: Database
) -> None:
    """R9: the cookie is the host's own, out of reach of scripts; the page is kept by no cache."""
    assert (await site.get("/me")).headers["location"] == "/sign-in"
    asked = await site.post("/sign-in", data={"email": " ANNA@Example.org"})
    assert (asked.status_code, asked.headers["location"]) == (303, "/sign-in/code?email=anna%40example.org")
    entered = await sign_in(site, owner)
    assert (entered.status_code, entered.headers["location"]) == (303, "/me")
    cookie = entered.headers["set-cookie"].lower()
    assert "godwit_reader=" in cookie
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert "domain=" not in cookie
    shown = await site.get("/me")
    assert (shown.status_code, shown.headers["cache-control"]) == (200, "private, no-store")
    assert "You are signed in as anna@example.org" in shown.text
    assert "What you may read" not in shown.text
    assert (await site.get("/sign-in")).headers["location"] == "/me"


async def test_the_link_of_the_code_signs_in_on_another_device_by_its_button(
    anna: ReaderView, app: Any, site: httpx.AsyncClient, owner: Database
) -> None:
    """R9; field case D: a scanner that opens it first spends nothing and gets no session."""
    await site.post("/sign-in", data={"email": ANNA})
    link = (await queued(owner, ANNA))[-1].path("/sign-in/")
    for opened_by_scanner in (await site.head(link), await site.get(link), await site.get(link)):
        assert opened_by_scanner.status_code == 200
        assert "set-cookie" not in opened_by_scanner.headers
    async with visitor(app) as phone:
        assert "anna@example.org" in (await phone.get(link)).text
        entered = await phone.post(link)
        assert (entered.status_code, entered.headers["location"]) == (303, "/me")
        assert (await phone.get("/me")).status_code == 200
    assert (await site.get("/me")).status_code == 303
    again = await site.post(link)
    assert (again.status_code, "does not work any more" in again.text) == (422, True)
    code = await code_of(owner, ANNA)
    assert (await site.post("/sign-in/code", data={"email": ANNA, "code": code})).status_code == 422


async def test_after_five_wrong_tries_the_right_code_is_dead(
    anna: ReaderView, site: httpx.AsyncClient, owner: Database
) -> None:
    """R10; field case I: and each refusal says how many are left, and keeps what was typed."""
    await site.post("/sign-in", data={"email": ANNA})
    right = await code_of(owner, ANNA)
    wrong = "000000" if right != "000000" else "111111"
    for left in ("Four tries", "Three tries", "Two tries", "One try is left", "Ask for a new one"):
        told = await site.post("/sign-in/code", data={"email": ANNA, "code": wrong})
        assert (told.status_code, left in told.text) == (422, True)
        assert f'value="{wrong}"' in told.text
    dead = await site.post("/sign-in/code", data={"email": ANNA, "code": right})
    assert dead.status_code == 422
    assert "set-cookie" not in dead.headers


async def test_five_tries_at_one_instant_are_five(
    anna: ReaderView, site: httpx.AsyncClient, owner: Database
) -> None:
    """R10: also when they come together, the database counts them one by one."""
    await site.post("/sign-in", data={"email": ANNA})
    right = await code_of(owner, ANNA)
    wrong = "000000" if right != "000000" else "111111"
    await asyncio.gather(*(site.post("/sign-in/code", data={"email": ANNA, "code": wrong}) for _ in range(8)))
    async with owner.transaction() as tx:
        assert await tx.value("select tries from reader_code") == 5
    assert (await site.post("/sign-in/code", data={"email": ANNA, "code": right})).status_code == 422


async def test_a_code_works_once_and_for_ten_minutes(
    anna: ReaderView, app: Any, site: httpx.AsyncClient, owner: Database
) -> None:
    """R10."""
    await sign_in(site, owner)
    code = await code_of(owner, ANNA)
    async with visitor(app) as other:
        assert (await other.post("/sign-in/code", data={"email": ANNA, "code": code})).status_code == 422
    await site.post("/sign-in", data={"email": ANNA})
    link = (await queued(owner, ANNA))[-1].path("/sign-in/")
    async with owner.transaction() as tx:
        await tx.execute("update reader_code set expires_at = expires_at - interval '10 minutes 1 second'")
    code = await code_of(owner, ANNA)
    assert (await site.post("/sign-in/code", data={"email": ANNA, "code": code})).status_code == 422
    assert (await site.post(link)).status_code == 422


async def test_a_new_code_does_not_lift_the_limit_of_the_day(
    anna: ReaderView, site: httpx.AsyncClient, owner: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R10: ten codes, thirty tries a day for an address, whoever asks; told with when to come again."""
    monkeypatch.setenv("GODWIT_MODE", "development")
    settings.cache_clear()
    asked = [(await site.post("/sign-in", data={"email": ANNA})).status_code for _ in range(11)]
    assert asked == [303] * 10 + [429]
    tried = [await site.post("/sign-in/code", data={"email": ANNA, "code": "00000x"}) for _ in range(31)]
    assert [one.status_code for one in tried] == [422] * 30 + [429]
    assert int(tried[-1].headers["retry-after"]) > 0
    right = await code_of(owner, ANNA)
    assert (await site.post("/sign-in/code", data={"email": ANNA, "code": right})).status_code == 429


async def test_asking_and_trying_tell_nothing_of_who_reads(
    floor: None, anna: ReaderView, app: Any, owner: Database
) -> None:
    """R10; field case I: status, headers, body and floor of time are the same for a stranger's address."""

    async def seen_with(address: str) -> list[tuple[int, str]]:
        seen = []
        async with visitor(app) as client:
            for path, fields in [("/sign-in", {}), *[("/sign-in/code", {"code": "12345x"})] * 6]:
                began = time.monotonic()
                answer = await client.post(path, data={"email": address} | fields)
                assert time.monotonic() - began >= FLOOR
                seen.append((answer.status_code, answer.headers.get("location", "") + answer.text))
        return [
            (status, text.replace(address, "X").replace(address.replace("@", "%40"), "X"))
            for status, text in seen
        ]

    known, unknown = await asyncio.gather(seen_with(ANNA), seen_with("bobb@example.org"))
    assert known == unknown
    assert {one.to for one in await queued(owner)} == {ANNA}


async def test_while_mail_is_stopped_no_code_is_queued_and_the_page_says_so(
    anna: ReaderView, place: Place, site: httpx.AsyncClient, owner: Database
) -> None:
    """M2: by the account's own switch too."""
    async with place.transaction() as tx:
        await stop(tx, scope="all", reason="a mistake", by="Ana")
    assert "Mail is paused" in (await site.get("/sign-in")).text
    asked = await site.post("/sign-in", data={"email": ANNA})
    assert "no code is on its way" in (await site.get(asked.headers["location"])).text
    assert await queued(owner) == []


async def test_a_token_that_a_browser_brings_along_is_not_taken_over(
    anna: ReaderView, app: Any, site: httpx.AsyncClient, owner: Database
) -> None:
    """R9: session fixation finds nothing to fix, and signing in again ends the session before."""
    site.cookies.set("godwit_reader", "chosen-by-somebody-else")
    entered = await sign_in(site, owner)
    assert "chosen-by-somebody-else" not in entered.headers["set-cookie"]
    before = entered.headers["set-cookie"].split("godwit_reader=")[1].split(";")[0]
    await sign_in(site, owner)
    async with visitor(app) as other:
        other.cookies.set("godwit_reader", before)
        assert (await other.get("/me")).status_code == 303


async def test_a_session_is_of_one_publication(
    anna: ReaderView, web: Database, app: Any, site: httpx.AsyncClient, owner: Database
) -> None:
    """T1: the same token means nobody elsewhere."""
    await a_place(web, "elsewhere")
    entered = await sign_in(site, owner)
    token = entered.headers["set-cookie"].split("godwit_reader=")[1].split(";")[0]
    elsewhere = httpx.AsyncClient(
        transport=httpx.ASGITransport(app),
        base_url=settings().site_url("elsewhere"),
        cookies={"godwit_reader": token},
    )
    async with elsewhere:
        assert (await elsewhere.get("/me")).status_code == 303


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_signing_in_works_behind_a_proxy_that_ends_tls(
    anna: ReaderView, site: httpx.AsyncClient, owner: Database, scheme: str
) -> None:
    """Field case L: the page's address as the browser has it, with or without X-Forwarded-Proto."""
    host = settings().site_url("tidelines").split("://")[1]
    for forwarded in ({}, {"X-Forwarded-Proto": "https"}):
        site.headers.update({"Origin": f"{scheme}://{host}", **forwarded})
        assert (await sign_in(site, owner)).headers["location"] == "/me"


async def test_two_sign_ins_that_differ_in_case_are_one_reader(
    anna: ReaderView, place: Place, app: Any, site: httpx.AsyncClient, owner: Database
) -> None:
    """R1; field case E: on another product two members were made."""
    async with visitor(app) as other:
        await asyncio.gather(
            site.post("/sign-in", data={"email": "Anna@example.org"}),
            other.post("/sign-in", data={"email": "anna@EXAMPLE.org"}),
        )
    async with place.transaction() as tx:
        assert await tx.value("select count(*) from reader") == 1
    assert {one.to for one in await queued(owner)} == {ANNA}


async def test_nonsense_is_answered_in_words(
    anna: ReaderView, place: Place, site: httpx.AsyncClient, owner: Database
) -> None:
    """Every page and form here, with tokens and fields that nobody of ours wrote: refused, never broken."""
    strange = ["%00", "%ff%fe", "💣", "a" * 3000, "..%2f..", "%F0%28%8C%28"]
    for token in strange:
        for path in ("/confirm/", "/sign-in/"):
            for answer in (await site.get(path + token), await site.post(path + token)):
                assert answer.status_code in (200, 400, 404, 422), (path, token)
    for query in ("%00", "%ff", "💣", "a" * 3000):
        for path in ("/subscribe?source=", "/subscribe?newsletter=", "/subscribe?email=", "/sign-in?email=",
                     "/subscribe/check-inbox?email=", "/sign-in/code?email="):  # fmt: skip
            assert (await site.get(path + query)).status_code in (200, 303, 400), (path, query)
    await sign_in(site, owner)
    bodies = [b"", b"%", b"name=%00", b"newsletters=%00", b"newsletters=%ff", b"\xff\xfe", b"a=1&" * 2500]
    for path in (
        "/me",
        "/me/newsletters",
        "/me/erase",
        "/me/unblock",
        "/subscribe",
        "/sign-in",
        "/sign-in/code",
    ):
        for body in bodies:
            answer = await site.post(
                path, content=body, headers={"Content-Type": "application/x-www-form-urlencoded"}
            )
            assert answer.status_code < 500, (path, body[:20])
    assert (await now(place)) is not None


async def test_a_code_whose_link_was_pressed_elsewhere_is_dead_where_it_was_asked_for(
    anna: ReaderView, app: Any, site: httpx.AsyncClient, owner: Database
) -> None:
    """R10: and the page says so, rather than that tries are left."""
    await site.post("/sign-in", data={"email": ANNA})
    async with visitor(app) as phone:
        await phone.post((await queued(owner, ANNA))[-1].path("/sign-in/"))
    told = await site.post("/sign-in/code", data={"email": ANNA, "code": await code_of(owner, ANNA)})
    assert (told.status_code, "a code works once" in told.text) == (422, True)
