"""Which tables grow without end, and why that is right; each other one is pruned by a job, or in passing."""

import pytest

from app.base.database import Database
from app.jobs.registry import kind_of
from tests.jobs.makers import change, two_accounts
from workers import catalog
from workers.schedule import SCHEDULE

#: Pruned by a job of the schedule: table → kind.
SCHEDULED = {
    "job": "prune_jobs",  # 30 days after they are over; what gave up waits for a person
    "job_key": "prune_jobs",  # of slots, after 90 days; of messages and deliveries never (E5, M1)
    "attempt": "maintain_attempts",  # by the month, with their jobs
    "limit_bucket": "prune_limits",
    "idempotency": "prune_answers",
    "event": "prune_webhooks",
    "delivery": "prune_webhooks",
    "endpoint": "prune_webhooks",  # deleted ones
    "endpoint_secret": "prune_webhooks",
    "invitation": "prune_invitations",
    "bulk_act": "prune_bulk_acts",
    "bulk_change": "prune_bulk_acts",
    "import_file": "prune_import_files",
}
#: Pruned in passing, by what makes new ones.
IN_PASSING = {
    "worker": "each sign of life forgets who was gone for an hour",
    "confirmation": "expire_unconfirmed, an hour after somebody asked",
    "sign_up_hour": "expire_unconfirmed, after 400 days",
    "creator_code": "the creator's next code or sign-in; a few a creator",
    "creator_session": "the creator's next sign-in; a few a creator",
    "reader_code": "the account's next code",
    "reader_session": "the account's next sign-in",
}
#: As many as there are of something that people make, or that is counted.
BOUNDED = {
    "account": "publications",
    "api_key": "made by hand",
    "clock": "one row",
    "installation": "one row",
    "creator": "people",
    "draft": "posts",
    "event_counter": "accounts",
    "lane": "webhooks; the newest number of one must not be forgotten (E7)",
    "media": "pictures",
    "membership": "people",
    "newsletter": "newsletters",
    "outcome_count": "kinds of job × outcomes",
    "plan": "plans",
    "post": "posts",
    "provider_refusal": "providers",
    "release_counter": "accounts",
    "segment": "segments",
    "switch": "accounts",
    "tally": "emails × states × shards",
}
#: The record: kept for good, because somebody may ask.
RECORD = {
    "batch": "which call a copy left in, for evidence that comes late (L1)",
    "broadcast": "the emails",
    "consent": "when and how somebody agreed",
    "entitlement": "what a reader could read, and why",
    "erased_reader": "so that who was erased does not come back",
    "import": "what was brought along",
    "import_change": "what an import did, to take it back; goes with its reader",
    "import_loss": "what could not come along",
    "import_problem": "rows that could not be used",
    "mailing": "what was mailed",
    "possible_double": "never silent (L1)",
    "publication": "a key of publishing, so that a press counts once",
    "reader": "readers",
    "reader_tag": "readers",
    "redirect": "addresses that were left lead on",
    "release": "published versions",
    "release_change": "what a version changed",
    "revision": "frozen versions of posts",
    "scheduled": "what was to go out when",
    "send": "who got which email",
    "subscription": "readers",
    "suppression": "whom not to mail; outlives the reader",
    "suppression_change": "who blocked and lifted",
    "switch_change": "who stopped mail and let it go",
    "test_mail": "the last ones are shown; at most twenty an hour a person",
}


async def test_every_table_is_pruned_or_has_its_reason(owner: Database) -> None:
    """A new table joins one of the lists above, with its job in the schedule or a sentence."""
    async with owner.transaction() as tx:
        rows = await tx.rows(
            "select relname from pg_class c where relkind in ('r', 'p') and not relispartition"
            " and relnamespace = cast('public' as regnamespace) and relname <> 'alembic_version'"
        )
    known = [*SCHEDULED, *IN_PASSING, *BOUNDED, *RECORD]
    assert len(known) == len(set(known))
    assert {row.relname for row in rows} == set(known)


def test_every_prune_that_is_named_is_in_the_schedule() -> None:
    catalog.load()
    scheduled = {kind_of(line.args).name for line in SCHEDULE}
    assert set(SCHEDULED.values()) <= scheduled
    assert {kind for kind in scheduled if kind.startswith(("prune_", "maintain_"))} == set(SCHEDULED.values())


_PART = "attempt_2020_03"
_TRIES = """
insert into attempt (account_id, job_id, number, lease, started_at, ended_at, outcome, worker)
select 7, :job + n, 1, n, '2020-03-15 00:00+00', '2020-03-15 00:01+00', 'retry', 'w'
from generate_series(0, :n) n
"""


@pytest.mark.parametrize("stands", [True, False])
async def test_one_job_that_gave_up_keeps_its_tries_and_nobody_elses(owner: Database, stands: bool) -> None:
    """E2: what waits for a person keeps its story; a month of the others' goes."""
    await two_accounts(owner)
    await change(
        owner,
        f"create table {_PART} partition of attempt for values from ('2020-03-01 00:00+00')"
        " to ('2020-04-01 00:00+00')",
    )
    async with owner.transaction() as tx:
        job = await tx.value(
            "insert into job (account_id, queue, kind, args, share) values (7, 'build', 'k', '{}', '7')"
            " returning id"
        )
    await change(owner, _TRIES, job=job, n=3000)
    if not stands:
        await change(owner, "delete from job")

    async def size() -> int | None:
        async with owner.transaction() as tx:
            return await tx.value(f"select pg_total_relation_size(to_regclass('{_PART}'))")

    before = await size()
    await change(owner, "select maintain_attempts()")
    try:
        async with owner.transaction() as tx:
            left = [row.job_id for row in await tx.rows("select job_id from attempt")]
        after = await size()
        assert left == ([job] if stands else [])
        assert after is None if not stands else before and after and after < before / 4
    finally:
        await change(owner, f"drop table if exists {_PART}")


async def test_a_month_that_had_no_part_gets_one_with_what_fell_outside(owner: Database) -> None:
    """E2: no worker for months, or an old backup: what was tried meanwhile is kept, and pruned, as all is."""
    await two_accounts(owner)
    async with owner.transaction() as tx:
        ahead = await tx.value("select 'attempt_' || to_char(now() + interval '3 months', 'YYYY_MM')")
        await tx.execute(f"drop table {ahead}")
        stays = await tx.value(
            "insert into job (account_id, queue, kind, args, share) values (7, 'build', 'k', '{}', '7')"
            " returning id"
        )
    fell = """
    insert into attempt (account_id, job_id, number, lease, started_at, ended_at, outcome, worker)
    select 7, :job, n, n, at, at, 'retry', 'w'
    from unnest(array[now() + interval '3 months', '2020-05-15 00:00+00', '2020-07-01 00:00+00'])
         with ordinality as t (at, n)
    """
    for job in (stays, stays + 1, stays + 2):
        await change(owner, fell, job=job)
    try:
        while await maintained(owner):
            pass
        async with owner.transaction() as tx:
            assert await tx.value("select count(*) from attempt_default") == 0
            rows = await tx.rows("select tableoid::regclass::text as part, job_id from attempt order by 1, 2")
        kept = [(row.part, row.job_id) for row in rows]
        assert kept == [
            ("attempt_2020_05", stays),
            ("attempt_2020_07", stays),
            (ahead, stays),
            (ahead, stays + 1),
            (ahead, stays + 2),
        ]
        await change(owner, "delete from job")
        while await maintained(owner):
            pass
        async with owner.transaction() as tx:
            assert await tx.value("select to_regclass('attempt_2020_05')::text") is None
    finally:
        await change(owner, "delete from attempt; drop table if exists attempt_2020_05, attempt_2020_07")


async def maintained(owner: Database) -> bool:
    async with owner.transaction() as tx:
        return await tx.value("select maintain_attempts()")
