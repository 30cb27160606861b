"""Sign-ups that are too many, and those that nobody confirms (readers R7, R8, R12)."""

import httpx
import pytest

from app.accounts import account_of
from app.base.database import Database
from app.base.settings import settings
from app.readers import Asked, ask, default_newsletter, floods
from app.readers.jobs import AT_ONCE, UNCONFIRMED_DAYS
from app.readers.sign_up import admit_form
from tests.readers.mails import confirm_path, queued
from tests.readers.makers import Place
from tests.readers.visitors import now as found

ANNA = "anna@example.org"


@pytest.fixture
def limited(settings_env: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits as outside testing mode."""
    monkeypatch.setenv("GODWIT_MODE", "development")
    settings.cache_clear()


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


async def test_two_sign_ups_of_one_form_do_not_wait_for_each_others_mail(
    limited: None, place: Place, owner: Database
) -> None:
    """R12: the count of a form is let go of before a mail is written."""
    async with place.transaction() as tx:
        asked = Asked(ANNA, (await default_newsletter(tx),), "asked on a form", "blog")
        account = await account_of(tx)
    async with place.transaction() as tx:
        assert await admit_form(tx, "blog", "a network") == 0
    async with place.transaction() as slow:
        await ask(slow, account, asked)
        async with place.transaction() as tx:
            await tx.execute("set local lock_timeout = '200ms'")
            assert await admit_form(tx, "blog", "a network") == 0
    assert [one.to for one in await queued(owner)] == [ANNA]
