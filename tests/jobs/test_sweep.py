"""The sweep: what workers that went silent leave behind (E2, E11)."""

import asyncio

import pytest

from app.base.database import Database
from app.jobs import leases
from tests.jobs.kinds import Answer, Hang, Note
from tests.jobs.makers import attempts, change, in_state, job, let_leases_run_out, put, until, working
from workers.schedule import sweep_leases, timers_for


async def taken(worker: Database, queue: str, kind: str) -> None:
    """A worker claims, and is never heard of again."""
    async with worker.transaction() as tx:
        assert await leases.claim(
            tx, queue=queue, kinds={kind: 1}, worker="gone", after="", wanted=9, per_share=9, most_leases=9
        )


async def test_a_job_of_a_silent_worker_is_ready_again(
    web: Database, worker: Database, owner: Database
) -> None:
    """E2, and nobody waits for a bell: the sweep answers whose queues got work."""
    made = await put(web, Note("x", "/dev/null"))
    await taken(worker, "build", "test_note")
    assert await sweep_leases(worker) == set(), "its lease still runs"
    await let_leases_run_out(owner)
    assert await sweep_leases(worker) == {"build"}
    found = await job(owner, made)
    assert (found.state, found.reason, found.leased_by) == ("ready", "its worker went silent", None)
    assert [(one.outcome, one.worker) for one in await attempts(owner, made)] == [("lost", "gone")]


async def test_a_kind_that_may_not_be_repeated_is_held_instead(
    web: Database, worker: Database, owner: Database
) -> None:
    """E2: a visible hold."""
    made = await put(web, Hang())
    await taken(worker, "webhooks", "test_slow")
    await let_leases_run_out(owner)
    await sweep_leases(worker)
    assert (await job(owner, made)).state == "held"


async def test_a_job_that_kills_every_worker_ends_dead_and_says_so(
    web: Database, worker: Database, owner: Database
) -> None:
    """E2: the claim counts the attempt."""
    made = await put(web, Note("x", "/dev/null"))
    for _ in range(5):
        await taken(worker, "build", "test_note")
        await let_leases_run_out(owner)
        await sweep_leases(worker)
    found = await job(owner, made)
    assert (found.state, found.reason) == ("dead", "its worker died 5 times")
    assert len(await attempts(owner, made)) == 5


async def test_only_deaths_are_called_deaths(web: Database, worker: Database, owner: Database) -> None:
    made = await put(web, Answer("retry"))
    async with working(worker):

        async def once() -> bool:
            return len(await attempts(owner, made)) == 1

        await until(once)
    await change(owner, "update job set run_at = godwit_now(), max_attempts = 2")
    await taken(worker, "build", "test_answer")
    await let_leases_run_out(owner)
    await sweep_leases(worker)
    assert (await job(owner, made)).reason == "its worker died 1 time"


async def test_two_sweeps_at_once_do_not_wait_for_each_other(worker: Database) -> None:
    async with worker.transaction() as tx:
        assert await tx.value("select pg_try_advisory_xact_lock(7265010)")
        async with asyncio.timeout(2):
            assert await sweep_leases(worker) == set()


@pytest.mark.parametrize("queue", ["codes_creators", "sends"])
async def test_what_repairs_the_queue_does_not_run_in_it(queue: str) -> None:
    """E11: every process sweeps, whatever queues it has, by a timer and not by a job."""
    repairing = {"sweep leases", "sweep the ledger", "feed", "pause what nobody reads"}
    assert repairing <= {timer.name for timer in timers_for([queue])}


async def test_the_sweep_works_while_every_slot_is_taken(
    web: Database, worker: Database, owner: Database
) -> None:
    """E11: a queue full of handlers that hang does not stop its own repair."""
    for _ in range(2):
        await put(web, Hang())
    await taken(worker, "webhooks", "test_slow")
    async with working(worker, "webhooks") as loop:
        assert not loop.busy
        await let_leases_run_out(owner)
        await sweep_leases(worker)
        async with owner.transaction() as tx:
            assert await tx.value("select count(*) from job where state = 'held'") == 2


async def test_extending_keeps_the_job_from_the_sweep(
    web: Database, worker: Database, owner: Database
) -> None:
    made = await put(web, Note("x", "/dev/null"))
    await taken(worker, "build", "test_note")
    await let_leases_run_out(owner)
    lease = (await job(owner, made)).lease
    async with worker.transaction() as tx:
        assert await leases.extend(tx, made or 0, lease, "build")
    assert await sweep_leases(worker) == set()
    await in_state(owner, made, "leased")
