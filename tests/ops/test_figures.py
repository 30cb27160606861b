"""What `/metrics` says of mail, and that it stays a page however many there are of something."""

import re
from collections.abc import AsyncIterator

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as strict_families
from prometheus_client.parser import text_string_to_metric_families

from app.base.database import Database
from app.base.settings import Settings
from app.jobs import LOST, QUEUES, add_counts, count_outcome
from app.mail import remember_refusal
from app.ops.metrics import FAMILIES, UP, WORKERS
from tests.jobs.makers import change, two_accounts
from tests.ledger.makers import audience_of, mailing_to
from tests.ops.test_metrics import told
from tests.web_server import as_if_a_worker_lived, client_of, serving

_BATCH = """
insert into batch (account_id, id, mailing_id, job_id, lease, provider, size, state, reason, blanks,
    called_at, call_until, settled_at)
values (:account, gen_random_uuid(), :mailing, 1, 1, 'mailgun', :size, :state, 'no answer', '{}',
    clock_timestamp() - make_interval(secs => :age), now(), now())
"""
_ENDPOINTS = """
insert into endpoint (account_id, id, url, events, state, reason)
select 7, gen_random_uuid(), 'https://a.test/' || n, '{release.published}',
       case when n > 2 then 'paused' else 'active' end, 'r'
from generate_series(1, 3) n
"""
_PERMIT = """
insert into job (account_id, queue, kind, args, share) values (7, 'sends', 'deliver_sends', '{"n": 40}', '7')
"""
_SWITCH = """
insert into switch (account_id, stopped, holding, held_scope, reason)
values (0, true, true, 'all', 'r'), (7, true, true, 'bulk', 'r'), (8, false, true, 'bulk', 'r')
"""


@pytest.fixture
async def godwit(settings_env: Settings, owner: Database) -> AsyncIterator[str]:
    await two_accounts(owner)
    async with serving() as url:
        yield url


async def test_calls_without_an_answer_their_copies_and_the_age_of_the_oldest_are_told(
    godwit: str, web: Database, owner: Database
) -> None:
    """L4: what is unsure wakes somebody."""
    audience = await audience_of(web, 1)
    call = {"account": audience.account_id, "mailing": await mailing_to(web, audience)}
    for state, size, age in (("unknown", 300, 7300), ("unknown", 5, 60), ("accepted", 1000, 90000)):
        await change(owner, _BATCH, state=state, size=size, age=age, **call)
    found = await told(godwit)
    assert found["godwit_unknown_batches", ()] == 2
    assert found["godwit_unknown_copies", ()] == 305
    assert 7300 <= found["godwit_unknown_age_seconds", ()] < 7400
    assert found["godwit_mailings", ("building",)] == 1


async def test_leave_to_send_webhooks_and_switches_are_told(godwit: str, owner: Database) -> None:
    for statement in (_PERMIT, _PERMIT, _ENDPOINTS, _SWITCH):
        await change(owner, statement)
    found = await told(godwit)
    assert found["godwit_permits", ()] == 2
    assert found["godwit_permitted_copies", ()] == 80
    assert [found["godwit_webhooks", (state,)] for state in ("active", "paused")] == [2, 1]
    assert [found["godwit_mail_stopped", (scope,)] for scope in ("platform", "accounts")] == [1, 1]


async def test_a_provider_refuses_until_it_lets_us_in(godwit: str, owner: Database, worker: Database) -> None:
    """What is over wakes nobody."""
    async with worker.transaction() as tx:
        await remember_refusal(tx, "401")
    refusing = "godwit_provider_refusing", ("mailbox",)
    assert (await told(godwit))[refusing] == 1
    await change(owner, "update provider_refusal set let_in_at = godwit_now()")
    assert refusing not in await told(godwit)


async def test_a_queue_that_nobody_was_ever_seen_for_and_one_that_is_empty_have_their_nought(
    godwit: str,
) -> None:
    """What has no line wakes nobody, and what appears with its first value is not seen to rise."""
    found = await told(godwit)
    for queue in QUEUES:
        assert found["godwit_workers", (queue,)] == 0
        assert [found["godwit_jobs", (queue, state)] for state in ("ready", "leased", "held", "dead")] == [
            0
        ] * 4


async def test_a_thousand_publications_and_their_webhooks_make_no_line_more(
    godwit: str, owner: Database, worker: Database
) -> None:
    """Whoever keeps these figures pays by the line."""
    waiting = """
        insert into job (account_id, queue, kind, args, share)
        select n, queue, 'anything', '{}',
               case queue when 'webhooks' then 'endpoint:' || gen_random_uuid() else cast(n as text) end
        from generate_series(cast(:first as int), :last) n, unnest('{webhooks,messages,sends}'::text[]) queue
    """
    await as_if_a_worker_lived(worker)
    await change(
        owner,
        "insert into account (id, slug, name) select n, 'p' || n, 'P' from generate_series(100, 1100) n",
    )
    await change(owner, waiting, first=100, last=100)
    few = await told(godwit)
    await change(owner, waiting, first=101, last=1100)
    many = await told(godwit)
    of_godwit = {
        one for one in many if one[0].startswith("godwit_") and not one[0].startswith("godwit_http_")
    }
    assert of_godwit <= set(few)
    assert many["godwit_waiting_shares", ("webhooks",)] == 1001


@pytest.mark.parametrize(
    ("accept", "kind", "families"),
    [
        ("", "text/plain; version=0.0.4", text_string_to_metric_families),
        ("application/openmetrics-text; version=1.0.0", "application/openmetrics-text", strict_families),
    ],
)
async def test_it_is_what_prometheus_reads_and_each_name_has_its_words(
    godwit: str, worker: Database, accept: str, kind: str, families
) -> None:
    """Both formats, to the letter: help and type once and before the values, odd labels escaped."""
    await as_if_a_worker_lived(worker)
    for outcome in ("done", LOST, 'odd "one"\\ of\ntwo lines'):
        count_outcome("build", "test_note", outcome)
    async with worker.transaction() as tx:
        await add_counts(tx)
    async with client_of(godwit) as client:
        answer = await client.get("/metrics", headers={"Accept": accept})
    assert answer.headers["content-type"].startswith(kind)
    assert answer.text.endswith("\n")
    read = {family.name: family for family in families(answer.text)}
    outcomes = {one.labels["outcome"] for one in read["godwit_job_outcomes"].samples}
    assert outcomes == {"done", "lost", 'odd "one"\\ of\ntwo lines'}
    for name, words in (*((one.name, one.words) for one in FAMILIES), UP, WORKERS):
        assert read[name].documentation == words
    typed = re.findall(r"^# TYPE (\S+)", answer.text, re.MULTILINE)
    assert len(typed) == len(set(typed))
