"""Repeated work: E8, and what is pruned (E5)."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import DBAPIError

from app.base.database import Database
from app.jobs import Scheduled, enqueue_slots, registered_kinds, slot_key, slots_due
from app.jobs.jobs import KEEP_DAYS, MaintainAttempts, PruneJobs
from app.jobs.registry import kind_of
from tests.jobs.kinds import Answer, Note
from tests.jobs.makers import change, in_state, job, lines, put, working
from tests.waiting import until
from workers import catalog, schedule
from workers.schedule import enqueue_schedule

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
#: A slot that lasts through the test, whenever it runs.
CENTURY = timedelta(days=36500)


def line(path: Path, **how: timedelta) -> Scheduled:
    return Scheduled("note it", args=Note("slot", str(path)), **({"every": CENTURY, "grace": CENTURY} | how))


async def slots(database: Database, *schedule: Scheduled) -> set[str]:
    async with database.transaction() as tx:
        return await enqueue_slots(tx, schedule)


async def jobs(owner: Database) -> list:
    async with owner.transaction() as tx:
        return await tx.rows("select * from job order by id")


_DUE: list[tuple[float, int, int, list[int]]] = [
    (0, 5, 1, [0]),
    (0.5, 5, 1, [0]),
    (1, 5, 1, []),  # its grace is over
    (4.9, 5, 5, [0]),
    (5, 5, 5, [5]),
    (7, 5, 13, [-5, 0, 5]),  # down for two slots: both are caught up, oldest first
    (3, 60, 60, [0]),
]


async def test_which_slots_are_due(subtests: pytest.Subtests) -> None:
    """E8: a missed slot is caught up within its grace."""
    for after_noon, every, grace, due in _DUE:
        with subtests.test(after_noon=after_noon, every=every, grace=grace, due=due):
            found = slots_due(NOON + after_noon * MINUTE, every * MINUTE, grace * MINUTE)
            assert found == [NOON + n * MINUTE for n in due]


async def test_a_slot_has_one_key_wherever_it_is_worked_out() -> None:
    assert slot_key("prune", NOON) == "prune@2026-11-30T12:00Z"
    assert slot_key("prune", NOON.astimezone(tz=None)) == "prune@2026-11-30T12:00Z"


async def test_one_slot_runs_once_however_many_ask_at_once(
    worker: Database, owner: Database, tmp_path: Path
) -> None:
    """E8: eight askers, twice."""
    log = tmp_path / "log"
    entry = line(log)
    made = [await asyncio.gather(*(slots(worker, entry) for _ in range(8))) for _ in range(2)]
    assert sum(bool(queues) for round_ in made for queues in round_) == 1
    async with working(worker):
        await in_state(owner, (await jobs(owner))[0].id, "done")
    assert len(lines(log)) == 2  # begun and ended
    assert await slots(worker, entry) == set(), "also once it is over"


async def test_the_next_slot_runs_again(worker: Database, owner: Database, tmp_path: Path) -> None:
    """E8: when the clock has moved on."""
    entry = line(tmp_path / "log", every=timedelta(hours=1), grace=timedelta(hours=1))
    for hour in range(3):
        assert await slots(worker, entry) == {"build"}
        assert await slots(worker, entry) == set()
        assert len(await jobs(owner)) == hour + 1
        await change(owner, "update clock set ahead = ahead + interval '1 hour'")


async def test_a_slot_past_its_grace_is_not_run_late(
    worker: Database, owner: Database, tmp_path: Path
) -> None:
    """E8: its job carries the end of its grace."""
    await slots(worker, line(tmp_path / "log"))
    (made,) = await jobs(owner)
    assert made.expires_at is not None
    await change(owner, "update job set expires_at = godwit_now()")
    async with working(worker):
        await in_state(owner, made.id, "discarded")
    assert lines(tmp_path / "log") == []


async def test_who_does_not_get_the_lock_leaves_the_round_to_the_other(worker: Database) -> None:
    async with worker.transaction() as tx:
        assert await tx.value("select pg_try_advisory_xact_lock(:lock)", lock=schedule.SCHEDULE_LOCK)
        assert await enqueue_schedule(worker) == set()


async def test_finished_jobs_go_after_their_days_and_their_keys_stay(
    web: Database, worker: Database, owner: Database
) -> None:
    """E5: one key, one job, also after pruning. What gave up, is held or waits stays."""
    old, young, dead, waiting = [await put(web, Answer("done"), key=f"key {n}") for n in range(4)]
    async with working(worker):
        for one in (old, young, dead, waiting):
            await in_state(owner, one, "done")
    await change(owner, "delete from job where id = any(:ids)", ids=[dead, waiting])
    dead = await put(web, Answer("refused"))
    async with working(worker):
        await in_state(owner, dead, "dead")
    waiting = await put(web, Answer("done"), run_at=datetime(2099, 1, 1, tzinfo=UTC))
    await change(
        owner,
        "update job set finished_at = finished_at - make_interval(days => :days) where id = :id",
        days=KEEP_DAYS,
        id=old,
    )
    async with web.transaction(account_id=7) as tx:
        from app.jobs import enqueue

        pruning = await enqueue(tx, PruneJobs())
    async with working(worker, "housekeeping"):
        await in_state(owner, pruning, "done")
    assert {row.id for row in await jobs(owner)} == {young, dead, waiting, pruning}
    assert await put(web, Answer("done"), key="key 0") is None
    assert await job(owner, old) is None


async def test_slot_keys_go_after_90_days_and_no_other(
    web: Database, worker: Database, owner: Database, tmp_path: Path
) -> None:
    """E5, M1: keys of messages and deliveries stay for good, also with an address or a slot's form."""
    await slots(worker, line(tmp_path / "log"))
    kept = ["invoice:1:ana@example.org", "endpoint×7", "mail@2026-11-30", "order-5@2026-11-30T03:00Z"]
    for key in kept:
        await put(web, Answer("done"), key=key)
    await change(owner, "update job_key set created_at = created_at - interval '91 days'")
    pruning = await put(web, PruneJobs())
    async with working(worker, "housekeeping"):
        await in_state(owner, pruning, "done")
    async with owner.transaction() as tx:
        left = {row.key for row in await tx.rows("select key from job_key")}
    assert left == set(kept)


async def test_months_of_attempts_go_with_the_last_of_their_jobs(
    web: Database, worker: Database, owner: Database
) -> None:
    """What gave up stays until somebody decides, and what was tried stays with it."""
    stays = await put(web, Answer("done"))
    gone = await put(web, Answer("done"))
    for month, job_id in (("2020_01", gone), ("2020_02", stays)):
        first = f"{month.replace('_', '-')}-01"
        await change(
            owner,
            f"create table attempt_{month} partition of attempt"
            f" for values from ('{first} 00:00+00') to ('{first[:-2]}28 00:00+00')",
        )
        await change(
            owner,
            "insert into attempt (account_id, job_id, number, lease, started_at, ended_at, outcome, worker)"
            f" values (7, :job, 1, 1, '{first} 12:00+00', '{first} 12:00+00', 'retry', 'one')",
            job=job_id,
        )
    months = "select relname from pg_class where relname like 'attempt_2020_%' and relkind = 'r'"
    try:
        await change(owner, "delete from job where id = :gone", gone=gone)
        await maintained(web, worker, owner)
        async with owner.transaction() as tx:
            assert [row.relname for row in await tx.rows(months)] == ["attempt_2020_02"]
        await change(owner, "delete from job where id = :stays", stays=stays)
        await maintained(web, worker, owner)
        async with owner.transaction() as tx:
            assert await tx.rows(months) == []
    finally:
        await change(owner, "drop table if exists attempt_2020_01, attempt_2020_02")


async def old_parts(owner: Database, *names: str) -> list[str]:
    """Empty parts of months long ago are made; which stand is answered."""
    for name in names:
        first = f"{name.removeprefix('attempt_').replace('_', '-')}-01 00:00+00"
        await change(
            owner,
            f"create table {name} partition of attempt for values from ('{first}')"
            f" to (cast('{first}' as timestamptz) + interval '1 month')",
        )
    async with owner.transaction() as tx:
        query = (
            "select relname from pg_class where relname like 'attempt_2020_%' and relkind = 'r' order by 1"
        )
        return [row.relname for row in await tx.rows(query)]


async def maintain_patiently(owner: Database) -> None:
    async with owner.transaction() as tx:
        await tx.execute("set local lock_timeout = 0")
        await tx.value("select maintain_attempts()")


async def test_upkeep_gives_way_to_whoever_reads_tries(
    web: Database, worker: Database, owner: Database
) -> None:
    """E10: who settles would wait behind it for as long as somebody reads, a dump for an hour."""
    assert await old_parts(owner, "attempt_2020_01", "attempt_2020_02")
    async with working(worker, "housekeeping"):
        async with owner.transaction() as reading:
            await reading.rows("select from attempt")
            with pytest.raises(DBAPIError, match="lock timeout"):
                await asyncio.wait_for(maintain_patiently(owner), 20)
            made = await put(web, MaintainAttempts())

            async def put_off() -> Any:
                row = await job(owner, made)
                return row if row.state == "ready" and row.attempts + row.throttles else None

            waiting = await until(put_off)
        assert (waiting.state, waiting.attempts, waiting.throttles) == ("ready", 0, 1)
        assert waiting.reason == "somebody is reading the table of tries"
        await change(owner, "update job set run_at = godwit_now() where id = :id", id=made)
        await in_state(owner, made, "done")
    assert await old_parts(owner) == []


async def test_upkeep_does_one_act_a_transaction(owner: Database) -> None:
    """E10: nobody who settles waits while another month is counted."""
    earlier, later = "attempt_2020_01", "attempt_2020_02"
    assert await old_parts(owner, earlier, later) == [earlier, later]
    for left in ([later], []):
        async with owner.transaction() as tx:
            assert await tx.value("select maintain_attempts()") is True
        assert await old_parts(owner) == left
    async with owner.transaction() as tx:
        assert await tx.value("select maintain_attempts()") is False


async def maintained(web: Database, worker: Database, owner: Database) -> None:
    made = await put(web, MaintainAttempts())
    async with working(worker, "housekeeping"):
        await in_state(owner, made, "done")
    await change(owner, "delete from job where id = :made", made=made)


async def test_whatever_prunes_or_maintains_is_on_the_schedule() -> None:
    """E8: nobody else makes these jobs, so one that is in no line would never run."""
    catalog.load()
    upkeep = {kind.name for kind in registered_kinds() if kind.name.startswith(("prune_", "maintain_"))}
    assert {kind_of(line.args).name for line in schedule.SCHEDULE} == upkeep
