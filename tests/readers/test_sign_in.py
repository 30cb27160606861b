"""Signing in as a reader, and a reader's own page (readers R2, R9, R10, R11; field cases D, E, I, L)."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from app.base import ids
from app.base.database import Database
from app.base.settings import settings
from app.ledger import unsubscribe_token
from app.readers import ReaderView, find_reader, was_erased
from app.readers.queries import consent_history
from app.readers.subscriptions import unsubscribe
from app.suppressions import suppress, suppression_of
from app.switches import stop
from tests.readers.mails import code_of, confirm_path, queued
from tests.readers.makers import Place, a_place, another_newsletter
from tests.readers.visitors import opened, visitor

ANNA = "anna@example.org"


@pytest.fixture
async def place(web: Database) -> Place:
    return await a_place(web)


@pytest.fixture
async def app(place: Place) -> AsyncIterator[Any]:
    async with opened() as web:
        yield web


@pytest.fixture
async def site(app: Any) -> AsyncIterator[httpx.AsyncClient]:
    async with visitor(app) as client:
        yield client


@pytest.fixture
async def anna(place: Place) -> ReaderView:
    return await place.reader(name="Anna")


async def sign_in(site: httpx.AsyncClient, owner: Database, email: str = ANNA) -> httpx.Response:
    """By the mailed code."""
    await site.post("/sign-in", data={"email": email})
    code = await code_of(owner, email)
    return await site.post("/sign-in/code", data={"email": email, "code": f"{code[:3]} {code[3:]}"})


async def now(place: Place, email: str = ANNA) -> ReaderView | None:
    async with place.transaction() as tx:
        return await find_reader(tx, email)


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
                assert time.monotonic() - began >= 0.25
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


async def test_a_reader_chooses_what_they_get_and_takes_an_unsubscribe_back(
    anna: ReaderView, place: Place, site: httpx.AsyncClient, owner: Database
) -> None:
    """R2, R11: each newsletter on and off; it holds at once and is in the history."""
    await another_newsletter(owner, place)
    await sign_in(site, owner)
    for chosen, gets in (
        (["field-notes"], ("field-notes",)),
        ([], ()),
        (["newsletter", "field-notes", "no-such"], ("newsletter", "field-notes")),
    ):
        saved = await site.post("/me/newsletters", data={"newsletters": chosen})
        assert (saved.status_code, saved.headers["location"]) == (303, "/me")
        there = await now(place)
        assert there is not None
        assert there.newsletters == gets
    assert "Saved. It holds at once." in (await site.get("/me")).text
    async with place.transaction() as tx:
        history = await consent_history(tx, anna.id)
    assert [(one.act, one.how) for one in history[1:]] == [
        ("unsubscribed", "on their own page, signed in"),
        ("confirmed", "on their own page, signed in"),
    ] + [("unsubscribed", "on their own page, signed in")] + [
        ("confirmed", "on their own page, signed in")
    ] * 2


async def test_a_reader_changes_their_name_and_what_is_too_long_comes_back(
    anna: ReaderView, place: Place, site: httpx.AsyncClient, owner: Database
) -> None:
    """R11."""
    await sign_in(site, owner)
    await site.post("/me", data={"name": "Anna Karenina"})
    there = await now(place)
    assert there is not None
    assert there.name == "Anna Karenina"
    back = await site.post("/me", data={"name": "A" * 201})
    assert (back.status_code, "the most is 200" in back.text, "A" * 201 in back.text) == (422, True, True)


async def test_a_reader_ends_a_block_that_is_theirs_to_end(
    anna: ReaderView, place: Place, site: httpx.AsyncClient, owner: Database
) -> None:
    """S4: a complaint is; what the team blocked is not, and the page says whom to write to."""
    async with place.transaction() as tx:
        await suppress(tx, ANNA, "complaint")
    await sign_in(site, owner)
    assert "A mail to you was reported as spam." in (await site.get("/me")).text
    await site.post("/me/unblock")
    async with place.transaction() as tx:
        assert await suppression_of(tx, ANNA) is None
        await suppress(tx, ANNA, "by_hand", by="Ana")
    assert "Mail me again" not in (await site.get("/me")).text
    refused = await site.post("/me/unblock")
    assert (refused.status_code, "Only its owner" in refused.text) == (422, True)


async def test_what_a_reader_may_read_is_shown_while_it_lasts(
    anna: ReaderView, place: Place, site: httpx.AsyncClient, owner: Database
) -> None:
    """R11: each plan with where from and until when; one that is over is not there."""
    async with owner.transaction() as tx:
        for name, ends in (("Gold", "3 days"), ("Silver", "-1 day")):
            plan, told = ids.new(), {"account": place.id, "reader": anna.id}
            await tx.execute(
                "insert into plan (account_id, id, slug, name) values (:account, :id, lower(:name), :name)",
                account=place.id,
                id=plan,
                name=name,
            )
            await tx.execute(
                "insert into entitlement"
                " (account_id, id, reader_id, plan_id, source, reason, starts_at, ends_at)"
                " values (:account, :id, :reader, :plan, 'comp', 'a friend',"
                " godwit_now() - interval '9 days',"
                f" godwit_now() + interval '{ends}')",
                **told,
                id=ids.new(),
                plan=plan,
            )
    await sign_in(site, owner)
    shown = (await site.get("/me")).text
    assert "<strong>Gold</strong>, a present of Tidelines, until" in shown
    assert "Silver" not in shown
    assert (await site.get("/me/data.json")).json()["access"][0]["plan"] == "Gold"


async def test_who_never_confirmed_may_do_so_on_their_own_page(
    place: Place, site: httpx.AsyncClient, owner: Database
) -> None:
    """R7: who signs in has the mailbox; ticking it is their own confirm, and it expires no more."""
    await site.post("/subscribe", data={"email": ANNA})
    await sign_in(site, owner)
    assert "You asked for it and have not confirmed" in (await site.get("/me")).text
    await site.post("/me/newsletters", data={"newsletters": "newsletter"})
    there = await now(place)
    assert there is not None
    assert there.state == "active"
    async with place.transaction() as tx:
        assert await tx.value("select confirmed_at is not null from reader")


async def test_a_reader_takes_their_data_along(
    anna: ReaderView, place: Place, site: httpx.AsyncClient, owner: Database
) -> None:
    """R11: everything kept of them, as JSON, and nothing of anybody else's."""
    await place.reader("ben@example.org")
    assert (await site.get("/me/data.json")).status_code == 303
    await sign_in(site, owner)
    got = await site.get("/me/data.json")
    assert got.headers["content-disposition"] == 'attachment; filename="tidelines-my-data.json"'
    data = json.loads(got.content)
    assert (data["address"], data["name"], data["publication"]) == (ANNA, "Anna", "Tidelines")
    assert data["newsletters"][0]["agreed"]["where"] == "a form"
    assert [one["act"] for one in data["consents"]] == ["subscribed"]
    assert len(data["sessions"]) == 1
    assert "ben@" not in got.text


async def test_a_reader_erases_themselves_by_typing_their_address(
    anna: ReaderView, place: Place, site: httpx.AsyncClient, owner: Database
) -> None:
    """R4, R11: nothing of them is left, not in the mails that were queued either, and they are signed out."""
    await sign_in(site, owner)
    wrong = await site.post("/me/erase", data={"address": "ben@example.org"})
    assert (wrong.status_code, "Nothing was erased" in wrong.text) == (422, True)
    done = await site.post("/me/erase", data={"address": " ANNA@example.org "})
    assert (done.status_code, "You are erased" in done.text) == (200, True)
    assert (await site.get("/me")).status_code == 303
    async with place.transaction() as tx:
        assert await was_erased(tx, anna.id)
    async with owner.transaction() as tx:
        for table in ("reader", "job", "reader_session", "reader_code", "consent"):
            kept = await tx.value(f"select coalesce(string_agg(t::text, ' '), '') from {table} t")
            assert "anna" not in kept.lower(), table


async def test_forms_of_other_sites_change_nothing_of_a_reader(
    anna: ReaderView, place: Place, site: httpx.AsyncClient, owner: Database
) -> None:
    """R11: with the reader's own cookie, as a browser would send it from a sister site."""
    await sign_in(site, owner)
    before = await now(place)
    for origin in ("https://evil.example", "http://elsewhere.localhost:8000", "null"):
        for path in ("/me", "/me/newsletters", "/me/erase", "/me/unblock", "/sign-out", "/sign-in/code"):
            refused = await site.post(path, data={"address": ANNA, "email": ANNA}, headers={"Origin": origin})
            assert refused.status_code == 403, (origin, path)
    assert await now(place) == before
    assert (await site.get("/me")).status_code == 200


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_signing_in_works_behind_a_proxy_that_ends_tls(
    anna: ReaderView, site: httpx.AsyncClient, owner: Database, scheme: str
) -> None:
    """Field case L: the page's address as the browser has it, with or without X-Forwarded-Proto."""
    host = settings().site_url("tidelines").split("://")[1]
    for forwarded in ({}, {"X-Forwarded-Proto": "https"}):
        site.headers.update({"Origin": f"{scheme}://{host}", **forwarded})
        assert (await sign_in(site, owner)).headers["location"] == "/me"


async def test_the_unsubscribe_page_offers_the_way_back_by_their_own_confirm(
    anna: ReaderView, place: Place, site: httpx.AsyncClient, owner: Database
) -> None:
    """R2, R5: the link in a mail can leave, but only who has the mailbox comes back."""
    link = f"/unsubscribe/{unsubscribe_token(place.id, anna.id, place.newsletter_id)}"
    done = await site.post(link)
    assert 'action="/subscribe?source=unsubscribed"' in done.text
    await site.post("/subscribe?source=unsubscribed", data={"email": ANNA, "newsletter": "newsletter"})
    there = await now(place)
    assert there is not None
    assert there.state == "unsubscribed"
    await site.post(await confirm_path(owner, ANNA))
    there = await now(place)
    assert there is not None
    assert there.state == "active"
    async with place.transaction() as tx:
        await unsubscribe(tx, anna.id, None, "x")
    assert 'action="/subscribe?source=unsubscribed"' in (await site.get(link)).text


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


async def test_without_a_session_nothing_is_changed_and_one_is_sent_to_sign_in(
    anna: ReaderView, place: Place, site: httpx.AsyncClient
) -> None:
    """R11."""
    for path in ("/me", "/me/newsletters", "/me/unblock", "/me/erase"):
        refused = await site.post(path, data={"address": ANNA})
        assert refused.status_code in (303, 401), path
        assert "/sign-in" in refused.text + refused.headers.get("location", "")
    assert await now(place) == anna
