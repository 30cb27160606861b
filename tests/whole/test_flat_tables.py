"""Tables that turn over stay as large as what is in them, however much passed through.

A month by month: work, a month's pause, prune, vacuum. Measured when they are fullest: how much of an empty
table's end the vacuum gives back depends on where the last row lies. A million by hand:
FLAT_JOBS=1000000 ./godwit test tests/whole/test_flat_tables.py (ten minutes).
"""

import os

import asyncpg

from app.base.database import Database
from app.base.settings import Settings
from app.jobs import Done, enqueue_many, leases
from app.jobs.jobs import KEEP_DAYS, PruneJobs
from app.jobs.queue import Order
from app.jobs.registry import ClaimedJob, handled_kinds
from app.jobs.settling import settlement
from tests.jobs.kinds import QUEUE, Answer
from tests.jobs.makers import change, in_state, put, two_accounts, working
from workers import catalog

JOBS, MONTHS, AT_ONCE = int(os.environ.get("FLAT_JOBS", "12000")), 6, 500
_SIZES = """
select (select pg_total_relation_size('job')) as job,
       (select pg_total_relation_size('job_key')) as job_key,
       (select cast(sum(pg_total_relation_size(inhrelid)) as bigint) from pg_inherits
        where inhparent = 'attempt'::regclass) as attempt
"""


async def work_through(web: Database, worker: Database, n: int) -> None:
    """Enqueued, claimed, settled by the statements that workers use."""
    for begun in range(0, n, 1000):
        orders = [Order(Answer("done"), share="7") for _ in range(min(1000, n - begun))]
        async with web.transaction(account_id=7) as tx:
            await enqueue_many(tx, orders)
    done = 0
    while done < n:
        how = {"queue": QUEUE, "kinds": handled_kinds(QUEUE), "worker": "w", "after": "", "older": False}
        rows = await leases.claim_beside_others(
            worker, wanted=AT_ONCE, per_share=AT_ONCE, most_leases=AT_ONCE, **how
        )
        ended = [settlement(ClaimedJob(*row[:-1]), Done()) for row in rows]
        async with worker.transaction() as tx:
            done += len(await leases.settle(tx, ended, "w"))


async def a_month_passes(owner: Database, worker: Database, n: int) -> None:
    """Jobs are older than they are kept, their tries lie in the part of a month long ago; both are pruned."""
    part = f"attempt_2020_{n:02}"
    await change(
        owner,
        f"create table {part} partition of attempt for values from ('2020-{n:02}-01 00:00+00')"
        f" to ('2020-{n + 1:02}-01 00:00+00')",
    )
    old = f"'2020-{n:02}-15 00:00+00'"
    await change(owner, f"update attempt set started_at = {old} where started_at > '2021-01-01'")
    await change(owner, "update clock set ahead = ahead + make_interval(days => :days)", days=KEEP_DAYS + 1)
    async with working(worker, "housekeeping"):
        await in_state(owner, await put(worker, PruneJobs()), "done")
    await change(owner, "select maintain_attempts()")


async def vacuumed(owner: Database) -> None:
    """What is dead makes room for what comes."""
    connection = await asyncpg.connect(owner.url)
    await connection.execute("vacuum analyze")
    await connection.close()


async def sizes(owner: Database) -> dict[str, int]:
    """Bytes with indexes."""
    async with owner.transaction() as tx:
        row = await tx.row(_SIZES)
    assert row is not None
    return {"job": row.job, "job_key": row.job_key, "attempt": row.attempt}


async def test_jobs_and_tries_are_as_large_after_all_months_as_after_half_of_them(
    settings_env: Settings, web: Database, worker: Database, owner: Database
) -> None:
    catalog.load()
    await two_accounts(owner)
    seen: list[dict[str, int]] = []
    for month in range(1, MONTHS + 1):
        await work_through(web, worker, JOBS // MONTHS)
        seen.append(await sizes(owner))
        await a_month_passes(owner, worker, month)
        await vacuumed(owner)
    for table in ("job", "job_key", "attempt"):
        assert seen[-1][table] <= 1.1 * seen[MONTHS // 2 - 1][table] + 65536, seen
    print("bytes by month:", seen)
