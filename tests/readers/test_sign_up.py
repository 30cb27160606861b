"""Subscribing by a form (readers R7, R8, R12; field cases D, E, I, M)."""

import asyncio
import time
from collections.abc import AsyncIterator
from urllib.parse import quote

import httpx
import pytest

from app.base.database import Database
from app.base.settings import settings
from app.readers import ReaderView, find_reader, floods
from app.readers.confirming import confirm
from app.readers.jobs import AT_ONCE, UNCONFIRMED_DAYS
from app.readers.queries import consent_history
from app.readers.subscriptions import unsubscribe
from app.suppressions import suppress
from tests.readers.mails import confirm_path, queued
from tests.readers.makers import Place, a_place, another_newsletter
from tests.readers.visitors import opened, visitor
from tests.waiting import until

ANNA = "anna@example.org"
SCANNER = {"User-Agent": "Mozilla/5.0 (SafeLinks)"}


@pytest.fixture
async def place(web: Database) -> Place:
    return await a_place(web)


@pytest.fixture
async def site(place: Place) -> AsyncIterator[httpx.AsyncClient]:
    async with opened() as web, visitor(web) as client:
        yield client


@pytest.fixture
def limited(settings_env: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits as outside testing mode."""
    monkeypatch.setenv("GODWIT_MODE", "development")
    settings.cache_clear()


async def found(place: Place, email: str = ANNA) -> ReaderView | None:
    async with place.transaction() as tx:
        return await find_reader(tx, email)


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
        assert 0.25 <= time.monotonic() - began < 2
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


async def test_what_nobody_confirms_is_forgotten_after_seven_days(
    place: Place, site: httpx.AsyncClient, owner: Database, worker: Database
) -> None:
    """R7: one job an hour does it; who confirmed stays, who asked again stays as long as that link."""
    for name in ("gone", "kept", "again"):
        await site.post("/subscribe", data={"email": f"{name}@example.org"})
    await site.post(await confirm_path(owner, "kept@example.org"))
    gone = await confirm_path(owner, "gone@example.org")
    async with owner.transaction() as tx:
        jobs = await tx.rows(
            "select run_at - godwit_now() as wait from job where kind = 'expire_unconfirmed'"
        )
        assert len(jobs) == 1
        assert UNCONFIRMED_DAYS <= jobs[0].wait.total_seconds() / 86400 < UNCONFIRMED_DAYS + 0.05
        for table in ("reader", "confirmation"):
            await tx.execute(f"update {table} set created_at = created_at - interval '8 days'")
        await tx.execute("update confirmation set expires_at = expires_at - interval '8 days'")
    await site.post("/subscribe", data={"email": "again@example.org"})
    late = await site.post(gone)
    assert (late.status_code, 'data-state="gone"' in late.text) == (404, True)
    await expire(worker, place)
    assert await found(place, "gone@example.org") is None
    for name in ("kept", "again"):
        assert await found(place, f"{name}@example.org") is not None
    assert (await site.get(gone)).status_code == 404


async def expire(worker: Database, place: Place) -> None:
    """What the job does."""
    from app.base.statements import sql

    async with worker.transaction(place.id) as tx:
        await tx.execute(sql("app.readers", "expire_unconfirmed"), days=UNCONFIRMED_DAYS, most=AT_ONCE)


async def test_imported_readers_who_wait_are_never_forgotten(
    place: Place, site: httpx.AsyncClient, owner: Database, worker: Database
) -> None:
    """R7: only who was new by being asked here expires, also when somebody asks an imported one again."""
    anna = await place.reader(source="import")
    async with owner.transaction() as tx:
        await tx.execute("update subscription set state = 'pending'")
    await site.post("/subscribe", data={"email": ANNA})
    async with owner.transaction() as tx:
        await tx.execute("update reader set created_at = created_at - interval '30 days'")
        await tx.execute("update confirmation set expires_at = expires_at - interval '30 days'")
    await expire(worker, place)
    assert await found(place, anna.email) is not None


async def test_a_flooded_form_is_slowed_then_refused_and_shown(
    limited: None, place: Place, site: httpx.AsyncClient, owner: Database
) -> None:
    """R12: past a hundred an hour its mails go one by one; another form does not wait for it."""
    async with owner.transaction() as tx:
        await tx.execute(
            "insert into sign_up_hour (account_id, hour, form, asked)"
            " values (:account, date_trunc('hour', godwit_now()), 'blog', 109)",
            account=place.id,
        )
    await site.post("/subscribe?source=blog", data={"email": ANNA})
    await site.post("/subscribe?source=fair", data={"email": "ben@example.org"})
    slowed, prompt = await queued(owner)
    assert 50 < slowed.due_in < 70
    assert prompt.due_in < 1
    async with owner.transaction() as tx:
        await tx.execute("update sign_up_hour set asked = 900 where form = 'blog'")
    busy = await site.post("/subscribe?source=blog", data={"email": "cy@example.org"})
    assert (busy.status_code, busy.headers["retry-after"]) == (429, "3600")
    assert "come again in an hour" in busy.text
    assert 'value="cy@example.org"' in busy.text
    assert await found(place, "cy@example.org") is None
    async with place.transaction() as tx:
        (flood,) = await floods(tx)
    assert (flood.form, flood.asked, flood.slowed) == ("blog", 901, 2)


async def test_one_address_is_mailed_a_few_times_at_most(
    limited: None, place: Place, site: httpx.AsyncClient, owner: Database
) -> None:
    """R8: a stranger cannot fill somebody's mailbox, and sees no difference."""
    answers = [await site.post("/subscribe", data={"email": ANNA}) for _ in range(5)]
    assert len({(one.status_code, one.headers["location"]) for one in answers}) == 1
    assert len(await queued(owner)) == 3


async def test_names_of_forms_do_not_grow_without_end(
    limited: None, place: Place, site: httpx.AsyncClient, owner: Database
) -> None:
    """R12: whoever asks may name a form as they like; past fifty an hour they count as others."""
    async with owner.transaction() as tx:
        for number in range(50):
            await tx.execute(
                "insert into sign_up_hour (account_id, hour, form, asked)"
                " values (:account, date_trunc('hour', godwit_now()), :form, 1)",
                account=place.id,
                form=f"form {number}",
            )
    await site.post("/subscribe?source=one+more", data={"email": ANNA})
    async with place.transaction() as tx:
        assert await tx.value("select count(*) from sign_up_hour") == 51
        assert await tx.value("select asked from sign_up_hour where form = '(others)'") == 1


async def test_one_network_asks_sixty_times_an_hour_at_most(
    limited: None, place: Place, site: httpx.AsyncClient
) -> None:
    """R8: told in words, with when to come again, and what was typed."""
    async with place.web.transaction() as tx:
        await tx.execute(
            "insert into limit_bucket (name, tokens, filled_at) select name, 0, clock_timestamp()"
            " from (select :name as name) as n",
            name=_bucket(),
        )
    refused = await site.post("/subscribe", data={"email": ANNA})
    assert refused.status_code == 429
    assert int(refused.headers["retry-after"]) > 0
    assert f'value="{ANNA}"' in refused.text


def _bucket() -> str:
    from app.limits import hashed_name

    return f"sign-up:from:{hashed_name('127.0.0.1')}"
