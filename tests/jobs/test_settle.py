"""Settling: E4, E6, and what each outcome makes of a job."""

from datetime import timedelta

import pytest

from app.base.database import Database
from app.base.settings import settings
from app.jobs import Refused, Retry, leases
from app.jobs.backoff import Backoff
from app.jobs.registry import ClaimedJob
from app.jobs.runner import settlement
from tests.jobs.kinds import LATER, Answer, Hang, Note, Raise, Secret, Statement
from tests.jobs.makers import (
    attempts,
    change,
    in_state,
    job,
    let_leases_run_out,
    put,
    until,
    working,
    written,
)
from workers.schedule import sweep_leases


@pytest.mark.parametrize(
    ("outcome", "state", "counted", "throttles", "reason"),
    [
        ("done", "done", 1, 0, None),
        ("retry", "ready", 1, 0, "because"),
        ("throttled", "ready", 0, 1, "because"),
        ("refused", "dead", 1, 0, "because"),
        ("unknown", "held", 1, 0, "because"),
    ],
)
async def test_what_each_outcome_makes_of_a_job(
    web: Database, worker: Database, owner: Database,
    outcome: str, state: str, counted: int, throttles: int, reason: str | None,
) -> None:  # fmt: skip
    """E6 and the table in outcomes.py."""
    made = await put(web, Answer(outcome))
    async with working(worker):

        async def settled() -> bool:
            return bool(await attempts(owner, made))

        await until(settled)
    found = await job(owner, made)
    assert (found.state, found.attempts, found.throttles, found.reason) == (state, counted, throttles, reason)
    assert [one.outcome for one in await attempts(owner, made)] == [outcome]


async def test_what_continues_at_a_time_is_not_begun_before_it_and_costs_no_try(
    web: Database, worker: Database, owner: Database
) -> None:
    """E6: ready at that very moment, with the reason; at it, the same job goes on."""
    made = await put(web, Answer("continue_later"))
    async with working(worker):

        async def tried(times: int) -> bool:
            return len(await attempts(owner, made)) == times

        await until(lambda: tried(1))
        found = await job(owner, made)
        assert (found.state, found.run_at, found.reason) == ("ready", LATER, "because")
        assert (found.attempts, found.throttles) == (0, 0)
        await in_state(owner, await put(web, Answer("done")), "done")
        assert await tried(1)
        await change(owner, "update job set run_at = godwit_now() where id = :id", id=made)
        await until(lambda: tried(2))
    assert (await job(owner, made)).run_at == LATER
    assert [one.outcome for one in await attempts(owner, made)] == ["continue", "continue"]


async def test_a_throttle_is_not_an_attempt(web: Database, worker: Database, owner: Database) -> None:
    """E6: however often the other side asks for patience, no try is spent, and it is not asked before."""
    made = await put(web, Answer("throttled"))
    async with working(worker):
        for n in range(1, 6):

            async def throttled(n: int = n) -> bool:
                return (await job(owner, made)).throttles == n

            await until(throttled)
            found = await job(owner, made)
            assert (found.state, found.attempts) == ("ready", 0)
            assert timedelta(seconds=50) < found.run_at - found.created_at < timedelta(seconds=75)
            await change(owner, "update job set run_at = godwit_now()")


async def test_the_last_try_ends_dead_with_the_reason(
    web: Database, worker: Database, owner: Database
) -> None:
    made = await put(web, Raise(r"boom\0 \ud800 end"))
    async with working(worker, "webhooks"):
        for n in range(1, 5):

            async def tried(n: int = n) -> bool:
                found = await job(owner, made)
                return found.state == "ready" and found.attempts == n

            await until(tried)
            await change(owner, "update job set run_at = godwit_now()")
        found = await in_state(owner, made, "dead")
    assert found.attempts == 5
    assert found.reason == "ValueError: boom ? end"
    assert [one.outcome for one in await attempts(owner, made)] == ["retry"] * 5


async def test_a_statement_that_fails_is_told_in_words(
    web: Database, worker: Database, owner: Database
) -> None:
    """People read the reason and the tries: no SQL, no link."""
    made = await put(web, Statement("select name from nowhere"))
    async with working(worker, "webhooks"):

        async def tried() -> bool:
            return bool(await attempts(owner, made))

        await until(tried)
    assert (await job(owner, made)).reason == 'UndefinedTableError: relation "nowhere" does not exist'


async def test_arguments_that_cannot_be_read_end_dead_at_once(
    web: Database, worker: Database, owner: Database
) -> None:
    made = await put(web, Answer("done"))
    await change(owner, "update job set args = '{}'")
    async with working(worker):
        found = await in_state(owner, made, "dead")
    assert "outcome" in found.reason
    assert found.attempts == 1


async def test_a_worker_that_lost_its_lease_cannot_finish_the_job(
    web: Database, worker: Database, owner: Database, tmp_path
) -> None:
    """E4: what it brings late is on record and changes nothing."""
    log, gate = tmp_path / "log", tmp_path / "gate"
    made = await put(web, Note("slow", str(log), str(gate)))
    async with working(worker) as first:
        await written(log, "begin slow")
        await let_leases_run_out(owner)
        assert await sweep_leases(worker) == {"build"}
        async with working(worker):
            second = await in_state(owner, made, "leased")
            gate.touch()
            await in_state(owner, made, "done")

            async def both_told() -> bool:
                return len(await attempts(owner, made)) == 3

            await until(both_told)
            assert not first.busy
    told = [(one.outcome, one.late, one.lease == second.lease) for one in await attempts(owner, made)]
    assert sorted(told) == [("done", False, True), ("done", True, False), ("lost", False, False)]
    assert (await job(owner, made)).attempts == 2


async def test_a_lease_that_is_not_ours_settles_nothing(
    web: Database, worker: Database, owner: Database
) -> None:
    """E4: the number decides, not the name of the worker."""
    made = await put(web, Answer("done"))
    async with worker.transaction() as tx:
        (row,) = await leases.claim(
            tx,
            queue="build",
            kinds={"test_answer": 1},
            worker="w",
            after="",
            wanted=1,
            per_share=1,
            most_leases=9,
        )
    mine = ClaimedJob(*row[:-1])
    stolen = settlement(mine, Refused("not mine")) | {"lease": mine.lease - 1}
    async with worker.transaction() as tx:
        assert await leases.settle(tx, [stolen], "w") == {}
    assert (await job(owner, made)).state == "leased"
    async with worker.transaction() as tx:
        assert await leases.settle(tx, [settlement(mine, Refused("mine"))], "other") == {made: mine.lease}
        assert not await leases.extend(tx, mine.id, mine.lease, mine.queue)
    assert (await job(owner, made)).reason == "mine"


@pytest.mark.parametrize("end", ["done", "dead", "discarded"])
async def test_secrets_are_forgotten_when_the_job_ends(
    web: Database, worker: Database, owner: Database, end: str
) -> None:
    made = await put(web, Secret("123456", "kept", outcome=end))
    assert (await job(owner, made)).args["code"] == "123456"
    if end == "discarded":
        await change(owner, "update job set expires_at = godwit_now()")
    async with working(worker):
        found = await in_state(owner, made, end)
    assert found.args == {"word": "kept", "outcome": end}


async def test_a_handler_that_hangs_past_its_lease_is_cut_off(
    web: Database, worker: Database, owner: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """E10, E2: it does not keep its slot for ever, and its job is visibly held."""
    monkeypatch.setattr("app.jobs.registry.LEASE_USED", 0.005)
    made = await put(web, Hang())
    async with working(worker, "webhooks") as loop:
        found = await in_state(owner, made, "held")

        async def free() -> bool:
            return not loop.busy

        await until(free)
    assert found.reason == "it took longer than its lease and was cut off"
    assert settings().sending.lease * 0.005 < 1


async def test_a_reason_is_never_missing_where_one_is_shown() -> None:
    claimed = ClaimedJob(1, 7, "q", "test_raise", {}, "7", 1, 5, 5, "held", "", None)  # pyright: ignore
    assert settlement(claimed, Refused("")).get("reason") == "refused without a reason"
    assert settlement(claimed, Retry("\0"))["reason"] == "failed without a reason"
    assert settlement(claimed, Retry("\0"))["state"] == "dead"


async def test_waits_double_up_to_their_cap_and_never_come_together() -> None:
    waits = Backoff(first=30, most=3600)
    for attempt, cap in [(1, 30), (2, 60), (5, 480), (9, 3600), (1000, 3600)]:
        drawn = [waits.after(attempt) for _ in range(200)]
        assert cap / 10 <= min(drawn)
        assert max(drawn) <= cap
        assert len(set(drawn)) > 100
