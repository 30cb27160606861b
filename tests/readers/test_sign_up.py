"""Subscribing by a form (readers R7, R8, R12; field cases D, E, I, M)."""

import asyncio
import time
from urllib.parse import quote

import httpx

from app.base.database import Database
from app.readers import ReaderView
from app.readers.confirming import confirm
from app.readers.queries import consent_history
from app.readers.subscriptions import unsubscribe
from app.suppressions import suppress
from tests.readers.conftest import FLOOR
from tests.readers.mails import confirm_path, queued
from tests.readers.makers import Place, another_newsletter
from tests.readers.visitors import now as found
from tests.waiting import until

ANNA = "anna@example.org"
SCANNER = {"User-Agent": "Mozilla/5.0 (SafeLinks)"}


async def confirmed(place: Place, site: httpx.AsyncClient, owner: Database, email: str = ANNA) -> ReaderView:
    """Asked and confirmed."""
    await site.post("/subscribe", data={"email": email})
    assert 'data-state="done"' in (await site.post(await confirm_path(owner, email))).text
    there = await found(place, email)
    assert there is not None
    return there


async def test_a_subscription_begins_by_the_mailed_button(
    place: Place, site: httpx.AsyncClient, owner: Database
) -> None:
    """R7: pending with the next thing to do told; then active, with where and when they agreed."""
    asked = await site.post("/subscribe?source=blog", data={"email": " Anna@Example.org ", "name": "Anna"})
    assert (asked.status_code, asked.headers["location"]) == (
        303,
        f"/subscribe/check-inbox?email={quote(ANNA, safe='')}",
    )
    assert "Look in your mail" in (await site.get(asked.headers["location"])).text
    there = await found(place)
    assert there is not None
    assert (there.state, there.name, there.source) == ("pending", "Anna", "form")
    done = await site.post(await confirm_path(owner, ANNA))
    assert (done.status_code, 'data-state="done"' in done.text) == (200, True)
    assert "set-cookie" not in done.headers
    now = await found(place)
    assert now is not None
    assert now.state == "active"
    async with place.transaction() as tx:
        history = await consent_history(tx, now.id)
        assert await tx.value("select form from reader") == "blog"
        assert await tx.value("select confirmed_at is not null from reader")
    assert [one.act for one in history] == ["asked", "confirmed"]
    assert history[1].how == "asked on the form “blog”, confirmed by a mailed link"
    assert history[0].how == "asked on the form “blog”"
    assert 'data-state="already"' in (await site.post(await confirm_path(owner, ANNA))).text


async def test_the_button_pressed_five_times_at_one_instant_confirms_once(
    place: Place, site: httpx.AsyncClient, owner: Database
) -> None:
    """R7: one consent, and everybody who pressed is told that they are on the list."""
    await site.post("/subscribe", data={"email": ANNA})
    link = await confirm_path(owner, ANNA)
    answers = await asyncio.gather(*(site.post(link) for _ in range(5)))
    assert {one.status_code for one in answers} == {200}
    assert sum('data-state="done"' in one.text for one in answers) == 1
    assert sum('data-state="already"' in one.text for one in answers) == 4
    async with place.transaction() as tx:
        assert await tx.value("select count(*) from consent where act = 'confirmed'") == 1


async def test_a_second_press_that_waits_for_the_first_finds_it_done(
    place: Place, site: httpx.AsyncClient, owner: Database
) -> None:
    """R7: both saw the button; the database lets one of them spend the link."""
    await site.post("/subscribe", data={"email": ANNA})
    token = (await confirm_path(owner, ANNA)).removeprefix("/confirm/")

    async def waits() -> bool:
        async with owner.transaction() as tx:
            return bool(await tx.value("select exists (select from pg_locks where not granted)"))

    async with place.transaction() as late:
        async with place.transaction() as first:
            assert (await confirm(first, token)).state == "done"
            second = asyncio.create_task(confirm(late, token))
            await until(waits)
        assert (await second).state == "already"


async def test_opening_the_confirm_link_changes_nothing_and_signs_nobody_in(
    place: Place, site: httpx.AsyncClient, owner: Database
) -> None:
    """R7, R9; field case D: scanners HEAD and GET every link, without cookies, with scripts."""
    await site.post("/subscribe", data={"email": ANNA})
    link = await confirm_path(owner, ANNA)
    for answer in [await site.head(link, headers=SCANNER), await site.get(link, headers=SCANNER)] * 2:
        assert answer.status_code == 200
        assert "set-cookie" not in answer.headers
        assert answer.headers["cache-control"] == "private, no-store"
    shown = await site.get(link)
    assert 'data-state="ask"' in shown.text
    assert "<script" not in shown.text
    there = await found(place)
    assert there is not None
    assert there.state == "pending"
    assert 'data-state="done"' in (await site.post(link)).text


async def test_a_confirmed_reader_is_not_changed_by_a_strangers_form(
    place: Place, site: httpx.AsyncClient, owner: Database
) -> None:
    """R8; field case M: adding an existing address is a no-op; they are told they have it all."""
    before = await place.reader(name="Anna")
    await site.post("/subscribe?source=evil", data={"email": "ANNA@example.org", "name": "Mallory"})
    assert await found(place) == before
    async with place.transaction() as tx:
        assert [one.act for one in await consent_history(tx, before.id)] == ["subscribed"]
    (told,) = await queued(owner)
    assert (told.mail, told.to) == ("subscribed_already", ANNA)


async def test_asking_for_one_newsletter_more_changes_nothing_until_it_is_confirmed(
    place: Place, site: httpx.AsyncClient, owner: Database
) -> None:
    """R8: a stranger adds nothing to a reader, not even something that waits."""
    await another_newsletter(owner, place)
    before = await place.reader()
    await site.post("/subscribe", data={"email": ANNA, "newsletter": "field-notes"})
    assert await found(place) == before
    await site.post(await confirm_path(owner, ANNA))
    after = await found(place)
    assert after is not None
    assert set(after.newsletters) == {"newsletter", "field-notes"}


async def test_a_reader_who_left_stays_out_until_they_confirm(
    place: Place, site: httpx.AsyncClient, owner: Database
) -> None:
    """R2, R7: asking lifts nothing, their own confirm does."""
    anna = await place.reader()
    async with place.transaction() as tx:
        await unsubscribe(tx, anna.id, None, "by the link in a mail")
    await site.post("/subscribe", data={"email": ANNA})
    there = await found(place)
    assert there is not None
    assert there.state == "unsubscribed"
    await site.post(await confirm_path(owner, ANNA))
    there = await found(place)
    assert there is not None
    assert there.state == "active"


async def test_leaving_after_asking_wins_over_the_link(
    place: Place, site: httpx.AsyncClient, owner: Database
) -> None:
    """R7: whoever finds an old link cannot bring back who left since."""
    await site.post("/subscribe", data={"email": ANNA})
    old = await confirm_path(owner, ANNA)
    anna = await confirmed(place, site, owner)
    async with place.transaction() as tx:
        await unsubscribe(tx, anna.id, None, "by the link in a mail")
    assert 'data-state="left"' in (await site.post(old)).text
    there = await found(place)
    assert there is not None
    assert there.state == "unsubscribed"


async def test_who_asks_learns_nothing_of_the_address(
    floor: None, place: Place, site: httpx.AsyncClient, owner: Database
) -> None:
    """R8; field case I: body, status, headers and time, for six kinds of address."""
    left, bounced, shunned = [await place.reader(f"{name}@example.org") for name in ("left", "boun", "shun")]
    await place.reader()
    await site.post("/subscribe", data={"email": "pend@example.org"})
    async with place.transaction() as tx:
        await unsubscribe(tx, left.id, None, "x")
        await suppress(tx, bounced.email, "bounce")
        await suppress(tx, shunned.email, "by_hand", by="Ana")

    async def seen(email: str) -> tuple[object, ...]:
        began = time.monotonic()
        asked = await site.post("/subscribe", data={"email": email})
        assert FLOOR <= time.monotonic() - began < 2
        page = await site.get(asked.headers["location"])
        headers = sorted(name for name in asked.headers if name != "x-request-id")
        return asked.status_code, asked.text, headers, page.text.replace(email, "X")

    addresses = [ANNA, "new@example.org", "left@example.org", "boun@example.org", "shun@example.org"]
    all_of_them = [await seen(one) for one in [*addresses, "pend@example.org"]]
    assert all(one == all_of_them[0] for one in all_of_them)
    mailed = {one.to: one.mail for one in await queued(owner)}
    assert mailed == {
        ANNA: "subscribed_already",
        "new@example.org": "confirm_subscription",
        "left@example.org": "confirm_subscription",
        "boun@example.org": "confirm_subscription",
        "pend@example.org": "confirm_subscription",
    }


async def test_no_word_of_whoever_asks_reaches_an_address_that_nobody_confirmed(
    place: Place, site: httpx.AsyncClient, owner: Database
) -> None:
    """Field case I, M3: neither name nor source stands in subject, text, HTML or headers."""
    lure = "Claim your prize at http://evil.example"
    await site.post("/subscribe", data={"email": ANNA, "name": lure, "source": lure})
    (mail,) = await queued(owner)
    for part in (mail.subject, mail.text, mail.html):
        assert "prize" not in part
        assert "evil" not in part
    assert mail.subject == "Confirm your subscription to Tidelines"


async def test_two_sign_ups_at_one_instant_are_one_reader(
    place: Place, site: httpx.AsyncClient, owner: Database
) -> None:
    """R1; field case E: case and IDN spellings meet in one row, and either link works."""
    spellings = ["Anna@bücher.example", "anna@xn--bcher-kva.example", "ANNA@BÜCHER.example"] * 2
    answers = await asyncio.gather(*(site.post("/subscribe", data={"email": one}) for one in spellings))
    assert {one.status_code for one in answers} == {303}
    async with place.transaction() as tx:
        assert await tx.value("select count(*) from reader") == 1
        assert await tx.value("select email from reader") == "anna@xn--bcher-kva.example"
    page = await site.get(answers[0].headers["location"])
    assert "anna@bücher.example" in page.text
    for mail in (await queued(owner))[::3]:
        await site.post(mail.path("/confirm/"))
    there = await found(place, "anna@xn--bcher-kva.example")
    assert there is not None
    assert there.state == "active"


async def test_newsletters_are_chosen_and_only_those(
    place: Place, site: httpx.AsyncClient, owner: Database
) -> None:
    await another_newsletter(owner, place)
    form = (await site.get("/subscribe?newsletter=field-notes&source=blog")).text
    assert 'value="field-notes" checked' in form
    assert 'name="source" value="blog"' in form
    await site.post("/subscribe", data={"email": ANNA, "newsletter": "field-notes"})
    there = await found(place)
    assert there is not None
    assert there.newsletters == ("field-notes",)
    assert "Field notes" in (await queued(owner))[-1].text


async def test_what_cannot_be_used_comes_back_as_typed(
    place: Place, site: httpx.AsyncClient, owner: Database
) -> None:
    """Each with what to do, and nothing kept."""
    for email, told in (
        ("", "The address is empty"),
        ("anna@gmail", "Did you mean gmail.com?"),
        ("anna example.org", "has no @"),
    ):
        back = await site.post("/subscribe?source=blog", data={"email": email, "name": "Anna"})
        assert back.status_code == 422
        assert told in back.text
        assert 'value="Anna"' in back.text
        assert 'value="blog"' in back.text
    stale = await site.post("/subscribe", data={"email": ANNA, "newsletter": "gone"})
    assert (stale.status_code, "no newsletter “gone”" in stale.text) == (422, True)
    for strange in (b"email=%00", b"email=%ff@x", b"\x00\xff", b"email=" + b"a" * 5000):
        answer = await site.post(
            "/subscribe", content=strange, headers={"Content-Type": "application/x-www-form-urlencoded"}
        )
        assert answer.status_code in (400, 422), strange
    assert await found(place) is None


async def test_a_form_of_another_site_subscribes(place: Place, site: httpx.AsyncClient) -> None:
    """Plain HTML elsewhere, no script, no token; and never with what a browser knows of us."""
    asked = await site.post(
        "/subscribe?source=partner",
        data={"email": ANNA, "newsletter": "newsletter"},
        headers={"Origin": "https://partner.example", "Sec-Fetch-Site": "cross-site"},
    )
    assert asked.status_code == 303
    assert await found(place) is not None
