"""Real worker processes, really killed: E2, E3, E9."""

import os
import signal
from collections import Counter
from pathlib import Path

import pytest
from redis import asyncio as aioredis

from app.base.database import Database
from app.base.settings import settings
from app.cli.valkey import Valkey
from app.jobs import bell, enqueue_many
from app.jobs.queue import Order
from tests.harness import flush
from tests.jobs.kinds import Kill, Note, Steps
from tests.jobs.makers import (
    attempts,
    change,
    in_state,
    job,
    let_leases_run_out,
    lines,
    put,
    real_worker,
    until,
    worker_process,
    working,
    written,
)
from workers.schedule import SCHEDULE, enqueue_schedule, sweep_leases

pytestmark = pytest.mark.usefixtures("accounts")


async def test_a_job_whose_worker_is_killed_in_the_middle_is_done_by_another(
    web: Database, worker: Database, owner: Database, tmp_path: Path
) -> None:
    """E2: kill -9 while the handler is at work."""
    log, gate = tmp_path / "log", tmp_path / "gate"
    made = await put(web, Note("x", str(log), str(gate)))
    with worker_process() as first:
        await written(log, "begin x")
        os.kill(first.pid, signal.SIGKILL)
        first.wait()
    await let_leases_run_out(owner)

    async def freed() -> bool:
        # The dead one may have been in its own sweep, whose lock goes with its connection.
        await sweep_leases(worker)
        return (await job(owner, made)).state == "ready"

    await until(freed)
    gate.touch()
    async with working(worker):
        found = await in_state(owner, made, "done")
        assert f"end x {os.getpid()} {found.lease}" in lines(log)
    assert [one.outcome for one in await attempts(owner, made)] == ["lost", "done"]


async def test_a_job_that_kills_its_workers_ends_dead(
    web: Database, worker: Database, owner: Database, tmp_path: Path
) -> None:
    """E2, E10: two tries, two dead workers, then it is left alone."""
    log = tmp_path / "log"
    made = await put(web, Kill(str(log)))
    for n in (1, 2):
        with worker_process("payments") as process:
            assert process.wait(30) == -signal.SIGKILL
        assert len(lines(log)) == n
        await let_leases_run_out(owner)

    async def given_up() -> bool:
        await sweep_leases(worker)
        return (await job(owner, made)).state != "leased"

    await until(given_up)
    found = await job(owner, made)
    assert found.state == "dead"
    assert found.reason == "its worker died 2 times"


async def test_500_jobs_over_two_workers_are_each_handled_once(
    web: Database, worker: Database, owner: Database, tmp_path: Path
) -> None:
    """E3."""
    log = tmp_path / "log"

    async def all_done() -> bool:
        async with owner.transaction() as tx:
            return await tx.value("select count(*) from job where state = 'done'") == 500

    with worker_process() as other:
        # One worker alone would be through before the other has begun.
        await in_state(owner, await put(web, Note("warm", str(tmp_path / "warm"))), "done")
        await change(owner, "delete from job")
        await put_many(web, [Order(Note(str(n), str(log)), share=str(n % 9)) for n in range(500)])
        async with working(worker):
            await until(all_done)
        began = [line.split() for line in lines(log) if line.startswith("begin")]
        assert set(Counter(word for _, word, _, _ in began).values()) == {1}
        assert len(began) == 500
        assert {pid for _, _, pid, _ in began} == {str(other.pid), str(os.getpid())}, (
            "one of them had nothing to do"
        )
    assert all(one.attempts == 1 for one in await everything(owner))


async def test_sigterm_in_the_middle_finishes_the_call_and_takes_no_other(
    web: Database, worker: Database, owner: Database, tmp_path: Path
) -> None:
    """E9: status 0; what was in hand is done once, what was not stays ready for the next worker."""
    log, gate = tmp_path / "log", tmp_path / "gate"
    made = [await put(web, Note(str(n), str(log), str(gate))) for n in range(6)]
    with worker_process() as process:
        await written(log, "begin 0")
        process.send_signal(signal.SIGTERM)
        in_hand = len(lines(log))
        late = await put(web, Note("late", str(log), str(gate)))
        await bell.ring("build")
        gate.touch()
        assert process.wait(30) == 0
    ends = [line.split()[1] for line in lines(log) if line.startswith("end")]
    assert len(ends) == len(set(ends)) == in_hand
    states = Counter(row.state for row in await everything(owner))
    assert states == {"done": in_hand, "ready": 7 - in_hand}
    async with working(worker):
        for one in [*made, late]:
            await in_state(owner, one, "done")
    words = Counter(line.split()[1] for line in lines(log) if line.startswith("begin"))
    assert words == {**{str(n): 1 for n in range(6)}, "late": 1}
    assert {row.attempts for row in await everything(owner)} == {1}


async def test_a_slot_that_is_free_after_sigterm_stays_free(
    web: Database, owner: Database, tmp_path: Path
) -> None:
    """E9: one call is in hand, its worker has room for more, hears the bell, and takes nothing."""
    log, gate = tmp_path / "log", tmp_path / "gate"
    await put(web, Note("in hand", str(log), str(gate)))
    with worker_process(GODWIT_SWEEP="0.05") as process:
        await written(log, "begin in hand")
        process.send_signal(signal.SIGTERM)
        late = await put(web, Note("late", str(log), str(gate)))

        async def heard() -> bool:
            return not await rung("build")

        await until(heard)
        gate.touch()
        assert process.wait(30) == 0
    assert ((await job(owner, late)).state, await attempts(owner, late)) == ("ready", [])


async def test_long_work_is_handed_back_at_a_step_and_goes_on_elsewhere(
    web: Database, worker: Database, owner: Database, tmp_path: Path
) -> None:
    """E9: no step is lost, none is done twice, and being asked to stop is no attempt."""
    log, gate = tmp_path / "log", tmp_path / "gate"
    await change(
        owner,
        "insert into reader (account_id, id, email, source) values (7, gen_random_uuid(), 'a@b.test', 'api')",
    )
    made = await put(web, Steps(str(log), str(gate), 4))
    with worker_process("imports") as process:
        await written(log, "step 1")
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
    assert lines(log) == ["step 0", "step 1"]
    found = await in_state(owner, made, "ready")
    assert found.attempts == 0
    gate.touch()
    async with working(worker, "imports"):
        found = await in_state(owner, made, "done")
    assert lines(log) == [f"step {n}" for n in range(4)]
    assert found.attempts == 1


async def test_work_goes_on_while_redis_is_flushed_stopped_and_back(
    web: Database, owner: Database, own_redis: Valkey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """E2: the bell is a hint; also for whoever makes the job."""
    log = tmp_path / "log"
    monkeypatch.setenv("REDIS_URL", own_redis.url)
    settings.cache_clear()
    with worker_process():
        await in_state(owner, await put(web, Note("before", str(log))), "done")
        flush(own_redis.url)
        await in_state(owner, await put(web, Note("flushed", str(log))), "done")
        own_redis.stop()
        await in_state(owner, await put(web, Note("stopped", str(log))), "done")
        own_redis.start()
        await in_state(owner, await put(web, Note("back", str(log))), "done")
    await bell.close()
    assert len(lines(log)) == 8


async def test_two_machines_run_the_schedule_once(web: Database, worker: Database, owner: Database) -> None:
    """E8: real workers, side by side; the table's own lines."""
    with real_worker("housekeeping"), real_worker("housekeeping"):

        async def all_done() -> bool:
            found = await everything(owner)
            return len(found) >= len(SCHEDULE) and all(row.state == "done" for row in found)

        await until(all_done)
    assert len(await everything(owner)) == len(SCHEDULE)
    assert await enqueue_schedule(worker) == set()


async def rung(queue: str) -> bool:
    """Whether the bell was rung and nobody has answered yet."""
    redis = aioredis.from_url(settings().redis_url)
    try:
        return bool(await redis.exists(f"bell:{queue}"))
    finally:
        await redis.aclose()


async def put_many(web: Database, orders: list[Order]) -> None:
    async with web.transaction(account_id=7) as tx:
        await enqueue_many(tx, orders)


async def everything(owner: Database) -> list:
    async with owner.transaction() as tx:
        return await tx.rows("select * from job")
