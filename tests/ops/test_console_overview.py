"""The console's first page: the whole at a look, for operators alone."""

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from app.base.database import Database
from app.base.settings import Settings
from app.jobs import add_counts, count_outcome
from app.mail import remember_refusal
from app.ops import Presence
from app.ops.overview import Overview, read_overview
from app.switches import operator_let_go, operator_set
from tests.ledger.makers import audience_of, mailing_to
from tests.ops.test_console_jobs import a_job, signed_in
from tests.web_server import as_if_a_worker_lived, serving

_BATCH = """
insert into batch (account_id, id, mailing_id, job_id, lease, provider, size, state, reason, blanks,
    call_until, settled_at, look_up_at)
values (:account, gen_random_uuid(), :mailing, 1, 1, 'mailgun', 300, 'unknown', 'no answer', '{}', now(),
    now(), now() + interval '30 minutes')
"""


@pytest.fixture
async def godwit(settings_env: Settings, owner: Database) -> AsyncIterator[str]:
    async with owner.transaction() as tx:
        await tx.execute("insert into account (id, slug, name) values (7, 'seven', 'Seven')")
    async with serving() as url:
        yield url


@pytest.fixture
async def ola(godwit: str, web: Database) -> AsyncIterator[httpx.AsyncClient]:
    """An operator's browser."""
    async with await signed_in(web, godwit, operator=True) as page:
        yield page


async def read() -> Overview:
    operators = Database.for_role("operator")
    async with operators.transaction() as tx:
        found = await read_overview(tx)
    await operators.close()
    return found


@pytest.mark.parametrize("path", ["/console", "/console/live"])
async def test_only_operators_enter(godwit: str, web: Database, path: str) -> None:
    async with await signed_in(web, godwit, operator=False) as creator:
        assert (await creator.get(path)).status_code == 403


async def test_an_empty_house_says_so_and_that_nobody_works(ola: httpx.AsyncClient) -> None:
    """E2, E11: where no worker lives, the first thing to read is that."""
    told = await ola.get("/console")
    assert told.status_code == 200
    for words in (
        "No worker was seen for codes_creators,",
        "Nothing lies in any of them:",
        "No worker was there in the last hour.",
        "Every call to a provider has its answer.",
        "No email is on its way.",
        "Nobody waits.",
        "Nothing gave up.",
    ):
        assert words in told.text


async def test_a_house_at_work_is_well(ola: httpx.AsyncClient, worker: Database) -> None:
    await as_if_a_worker_lived(worker, "box:17")
    text = (await ola.get("/console")).text
    assert "All is well." in text
    assert re.search(r"Looked through at <time [^>]+>\d\d:\d\d</time>\.", text)
    assert "box:17" in text
    assert 'data-state="alive"' in text


async def test_who_said_that_it_stops_is_told_apart_from_who_is_gone(
    ola: httpx.AsyncClient, worker: Database, owner: Database
) -> None:
    leaving = await as_if_a_worker_lived(worker, "left:1")
    await leaving.leave(worker)
    await Presence("killed:1", ["build"]).beat(worker)
    async with owner.transaction() as tx:
        await tx.execute("update worker set seen_at = now() - interval '3 minutes' where name = 'killed:1'")
    text = (await ola.get("/console")).text
    assert 'data-id="left:1" data-state="stopped"' in text
    assert 'data-id="killed:1" data-state="gone"' in text
    assert "seen 3 minutes ago" in text


async def test_depth_shares_rate_and_what_gave_up_are_told_and_no_content(
    ola: httpx.AsyncClient, owner: Database, worker: Database
) -> None:
    for _ in range(3):
        await a_job(owner, queue="webhooks")
    await a_job(owner, "held", "dead", reason="<i>gone</i>")
    count_outcome("webhooks", "deliver_webhook", "done")
    async with worker.transaction() as tx:
        await add_counts(tx)
    async with owner.transaction() as tx:
        await tx.execute("update outcome_count set minute = minute - interval '1 minute'")
    text = (await ola.get("/console")).text
    assert "&lt;i&gt;gone&lt;/i&gt;" in text
    assert "one of its webhooks" in text
    assert "secret@example.org" not in text
    found = await read()
    assert [(one.account, one.jobs) for one in found.shares] == [("seven", 3)]
    assert found.rates == {"webhooks": 1}
    assert [(one.kind, one.jobs) for one in found.given_up] == [("send_mail", 1)]


async def test_what_is_unsure_and_on_its_way_is_told_by_publication(
    ola: httpx.AsyncClient, owner: Database, web: Database
) -> None:
    """L4: an unknown is for everybody to see."""
    audience = await audience_of(web, 2)
    mailing = await mailing_to(web, audience)
    async with owner.transaction() as tx:
        await tx.execute(_BATCH, account=audience.account_id, mailing=mailing)
        await tx.execute(
            "insert into tally (account_id, mailing_id, shard, state, n)"
            " values (:account, :mailing, 0, 'planned', 700), (:account, :mailing, 1, 'planned', 5)",
            account=audience.account_id,
            mailing=mailing,
        )
    text = (await ola.get("/console")).text
    assert "300 copies were handed over in 1 call that nobody answered." in text
    assert "Mailgun" in text
    assert "705" in text
    assert "News" not in text


async def test_mail_that_is_stopped_is_the_first_thing_to_read(
    ola: httpx.AsyncClient, worker: Database, web: Database
) -> None:
    """L10: a house whose mail is stopped is not called well, and an email says what it waits for."""
    await as_if_a_worker_lived(worker)
    await mailing_to(web, await audience_of(web, 2))
    assert "kept back by a switch" not in (await ola.get("/console")).text
    operators = Database.for_role("operator")
    async with operators.transaction() as tx:
        await operator_set(tx, 7, on=True, scope="bulk", reason="Spam", by="Ola")
    text = (await ola.get("/console")).text
    assert "1 publication's own switch keeps mail back: seven." in text.replace("&#39;", "'")
    assert "All is well." in text
    async with operators.transaction() as tx:
        await operator_set(tx, 0, on=True, scope="all", reason="the database was restored", by="Ola")
    text = (await ola.get("/console")).text
    assert "mail is stopped.</strong> All mail, by Ola, " in text
    assert "The database was restored." in text
    assert "kept back by a switch" in text
    assert "All is well." not in text
    async with operators.transaction() as tx:
        await operator_set(tx, 0, on=False, scope="all", reason="looked through", by="Ola")
    assert "switch is still held.</strong> All mail, by Ola, " in (await ola.get("/console")).text
    async with operators.transaction() as tx:
        await operator_let_go(tx, 0, by="Ola")
    await operators.close()
    assert "All is well." in (await ola.get("/console")).text


async def test_a_provider_that_refuses_us_is_told_with_its_words(
    ola: httpx.AsyncClient, worker: Database, owner: Database
) -> None:
    """L8."""
    await as_if_a_worker_lived(worker)
    async with worker.transaction() as tx:
        await remember_refusal(tx, "401 that key is no key")
    text = (await ola.get("/console")).text
    assert "The mail provider refuses us since" in text
    assert "401 that key is no key." in text
    assert "All is well." not in text
    async with owner.transaction() as tx:
        await tx.execute("update provider_refusal set let_in_at = godwit_now()")
    assert "All is well." in (await ola.get("/console")).text


async def test_two_readings_of_the_same_show_the_same_until_a_minute_is_over(
    ola: httpx.AsyncClient, owner: Database, worker: Database
) -> None:
    """Without flicker; and how long something waits is said anew each minute, when nothing else moves."""
    await as_if_a_worker_lived(worker)
    await a_job(owner)
    then = datetime(2026, 12, 24, 3, 12, tzinfo=UTC)
    one, two = [replace(await read(), read_at=then) for _ in range(2)]
    assert one.version < two.version
    assert two.shows_the_same(one)
    assert not replace(two, read_at=then + timedelta(minutes=1)).shows_the_same(one)


async def test_the_page_is_painted_anew_when_something_changes(
    ola: httpx.AsyncClient, owner: Database
) -> None:
    """The stream carries it to whoever has the page open."""
    async with ola.stream("GET", "/console/live") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        lines = stream.aiter_lines()

        async def message() -> str:
            found: list[str] = []
            async for line in lines:
                if not line and found:
                    return "\n".join(found)
                found += [line] if line.startswith("data:") else []
            raise AssertionError("the stream ended")

        async def somebody_waits() -> None:
            while "Nobody waits." in await message():
                pass  # a new minute has its message too

        assert "Nobody waits." in await message()
        following = asyncio.create_task(somebody_waits())
        await a_job(owner)
        await asyncio.wait_for(following, 30)
