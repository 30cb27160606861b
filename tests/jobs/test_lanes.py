"""Lanes: one at a time (E3), and of ranks only the newest (E7), however a job became ready."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from app.base.database import Database
from app.jobs import Done, Order, Refused, Retry, enqueue_many, leases
from app.jobs.registry import ClaimedJob, handled_kinds
from app.jobs.runner import settlement
from tests.jobs.kinds import QUEUE, Answer
from tests.jobs.makers import attempts, change, in_state, job, let_leases_run_out, put, until, working
from workers.schedule import sweep_leases

ASKED = {"after": "", "wanted": 10, "per_share": 4, "most_leases": 50, "worker": "w"}
HOUR = "cast('1 hour' as interval)"


async def claim(worker: Database, **how: Any) -> list[int]:
    """The ids that are leased now."""
    async with worker.transaction() as tx:
        rows = await leases.claim(tx, queue=QUEUE, kinds=handled_kinds(QUEUE), **(ASKED | how))
    return [row.id for row in rows if row.state == "leased"]


async def settled(worker: Database, owner: Database, job_id: int | None, outcome: Any) -> None:
    """The worker that holds it tells what became of it."""
    row = await job(owner, job_id)
    held = ClaimedJob(
        row.id, 7, QUEUE, row.kind, {}, "7", row.lease, row.attempts, 3, "held", "", row.leased_at
    )
    async with worker.transaction() as tx:
        assert await leases.settle(tx, [settlement(held, outcome)], "w") == {job_id: row.lease}


async def states(owner: Database, ids: Sequence[int | None]) -> list[str]:
    return [(await job(owner, one)).state for one in ids]


async def release(web: Database, rank: int, **how: Any) -> int | None:
    return await put(web, Answer("done"), lane="endpoint", rank=rank, **how)


async def test_two_ready_jobs_of_one_lane_are_not_leased_in_one_claim(
    web: Database, worker: Database, owner: Database
) -> None:
    """E3: the first that was made goes first, the second when it is over."""
    made = [await put(web, Answer("done"), lane="fan-out") for _ in range(3)]
    for one in made:
        assert await claim(worker) == [one]
        assert await claim(worker) == [], "its sibling is out"
        await settled(worker, owner, one, Done())
    assert await claim(worker) == []


async def test_lanes_do_not_wait_for_each_other_nor_for_an_account_of_the_same_words(
    web: Database, worker: Database
) -> None:
    """E3, E10: a lane belongs to its account."""
    first = [await put(web, Answer("done"), lane=lane) for lane in ("a", "b")]
    other = await put(web, Answer("done"), account=8, lane="a")
    free = await put(web, Answer("done"))
    assert set(await claim(worker)) == {*first, other, free}


async def test_a_lane_waits_for_its_first_that_is_tried_again_later(
    web: Database, worker: Database, owner: Database
) -> None:
    """Plain lanes keep their order; what gave up or is held blocks nobody."""
    first, second, third = [await put(web, Answer("done"), lane="fan-out") for _ in range(3)]
    assert await claim(worker) == [first]
    await settled(worker, owner, first, Retry("busy", after=60))
    assert await claim(worker) == []
    await change(owner, "update job set run_at = godwit_now() where id = :id", id=first)
    assert await claim(worker) == [first]
    await settled(worker, owner, first, Refused("never"))
    assert await claim(worker) == [second], "dead ones never block"
    await settled(worker, owner, second, Done())
    await change(owner, "update job set state = 'held', reason = 'x' where id = :id", id=third)
    fourth = await put(web, Answer("done"), lane="fan-out")
    assert await claim(worker) == [fourth], "held ones never block"


async def test_two_workers_never_hold_two_of_a_lane(web: Database, worker: Database, owner: Database) -> None:
    """E3: claims that race, twenty lanes of ten; nothing is lost by it either."""
    for _ in range(10):
        async with web.transaction(account_id=7) as tx:
            await enqueue_many(
                tx, [Order(Answer("done"), lane=f"lane {n}", share=str(n % 5)) for n in range(20)]
            )
    how = {**ASKED, "queue": QUEUE, "kinds": handled_kinds(QUEUE)}

    async def one(name: str) -> None:
        while rows := await leases.claim_beside_others(worker, **(how | {"worker": name})):
            async with owner.transaction() as tx:
                most = await tx.value(
                    "select max(n)"
                    " from (select count(*) as n from job where state = 'leased' group by lane) x"
                )
            assert (most or 0) <= 1
            for row in rows:
                await settled(worker, owner, row.id, Done())

    while await open_jobs(owner):
        await asyncio.gather(*(one(name) for name in "abcd"))


async def open_jobs(owner: Database) -> int:
    async with owner.transaction() as tx:
        return await tx.value("select count(*) from job where state in ('ready', 'leased')")


async def test_who_loses_a_lane_to_another_worker_takes_the_rest(
    web: Database, worker: Database, owner: Database
) -> None:
    """E3: a sibling leased in the same moment is a unique violation; the claim is repeated without lanes."""
    first = await put(web, Answer("done"), lane="one", share="x")
    how = {**ASKED, "queue": QUEUE, "kinds": handled_kinds(QUEUE)}
    async with worker.transaction() as other:
        assert [row.id for row in await leases.claim(other, **how)] == [first]
        sibling = await put(web, Answer("done"), lane="one", share="y")
        free = await put(web, Answer("done"), share="z")
        mine = asyncio.create_task(leases.claim_beside_others(worker, **how))

        async def waits() -> bool:
            async with owner.transaction() as tx:
                return await tx.value("select exists (select from pg_locks where not granted)")

        await until(waits)
    assert [row.id for row in await mine] == [free]
    assert await states(owner, [first, sibling]) == ["leased", "ready"]


async def test_only_the_newest_release_goes_and_the_older_name_it(
    web: Database, worker: Database, owner: Database
) -> None:
    """E7: due or not, in one claim."""
    old = [await release(web, rank) for rank in (1, 2, 3)]
    await change(owner, f"update job set run_at = godwit_now() + {HOUR} where id = :id", id=old[1])
    newest = await release(web, 4)
    assert await claim(worker) == [newest]
    assert await states(owner, old) == ["superseded"] * 3
    found = await job(owner, old[0])
    assert found.reason == "superseded by the newer number 4"
    assert (found.finished_at is not None, found.attempts) == (True, 0)


async def test_a_claim_that_looks_at_its_own_lanes_alone_leaves_none_older_there(
    web: Database, worker: Database, owner: Database
) -> None:
    """E7: due or not. In a lane that it takes nothing of, what is older waits for the next look."""
    old = [await release(web, rank) for rank in (1, 2)]
    await change(owner, f"update job set run_at = godwit_now() + {HOUR} where id = :id", id=old[1])
    newest = await release(web, 3)
    assert await claim(worker, older=False) == [newest]
    assert await states(owner, old) == ["superseded"] * 2
    await settled(worker, owner, newest, Done())
    late = await release(web, 2)
    assert await claim(worker, older=False) == []
    assert await states(owner, [late]) == ["ready"]
    assert await claim(worker) == []
    assert await states(owner, [late]) == ["superseded"]


async def test_a_release_that_comes_late_is_never_begun(
    web: Database, worker: Database, owner: Database
) -> None:
    """E7: number 1 commits after number 2 was delivered; the newest of the lane only grows."""
    assert await claim(worker) == []
    newest = await release(web, 2)
    assert await claim(worker) == [newest]
    await settled(worker, owner, newest, Done())
    late = await release(web, 1)
    assert await claim(worker) == []
    assert (await job(owner, late)).state == "superseded"


@pytest.mark.parametrize("how", ["retried", "lease ran out", "let go", "by hand"])
async def test_however_an_older_release_became_ready_it_is_not_begun(
    web: Database, worker: Database, owner: Database, how: str
) -> None:
    """E7: only the claim decides."""
    older = await release(web, 1)
    if how in ("let go",):
        await change(owner, "update job set state = 'held', reason = 'x'")
    else:
        assert await claim(worker) == [older]
    newer = await release(web, 2)
    match how:
        case "retried":
            await settled(worker, owner, older, Retry("again", after=0))
        case "lease ran out":
            await let_leases_run_out(owner)
            await sweep_leases(worker)
        case "let go":
            await change(owner, "update job set state = 'ready', reason = null where id = :id", id=older)
        case _:
            await settled(worker, owner, older, Refused("no"))
            async with owner.transaction() as tx:
                assert await tx.value("select retry_job(:id)", id=older)
    if how == "lease ran out":
        await change(owner, "update job set state = 'ready', reason = null where state = 'held'")
    assert await claim(worker) == [newer]
    assert (await job(owner, older)).state == "superseded"


async def test_a_newer_release_waits_for_the_older_one_that_is_out(
    web: Database, worker: Database, owner: Database
) -> None:
    """E7, E3: one of a lane at a time also between ranks."""
    older = await release(web, 1)
    assert await claim(worker) == [older]
    newer = await release(web, 2)
    assert await claim(worker) == []
    await settled(worker, owner, older, Done())
    assert await claim(worker) == [newer]


async def test_a_release_that_is_committed_while_an_older_one_is_claimed_wins(
    web: Database, worker: Database, owner: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """E7: the claim's own look at the lane is older than the commit; it looks again before it ends."""
    older = await release(web, 1)
    async with worker.transaction() as tx:
        rows = await tx.rows(
            leases.sql("app.jobs", "claim"), queue=QUEUE, known=handled_kinds(QUEUE), lanes=True, room={},
            since=leases.BEGINNING,
            older=True,
            lease_seconds=60, **ASKED,
        )  # fmt: skip
        assert [row.id for row in rows] == [older]
        newer = await release(web, 2)
        gone = await tx.rows(leases.sql("app.jobs", "supersede"), ids=[older])
        assert [row.id for row in gone] == [older]
    assert (await job(owner, older)).reason == "superseded by the newer number 2"
    assert await claim(worker) == [newer]


async def test_the_second_look_is_part_of_every_claim_of_ranks(
    web: Database, worker: Database, owner: Database
) -> None:
    """E7: a claim that meets a lane raised behind its back begins nothing."""
    older = await release(web, 1)
    await change(owner, "create function raise_lane() returns trigger language plpgsql as $$ begin"
                        " update lane set newest_rank = 9; return new; end $$")  # fmt: skip
    await change(owner, "grant update on lane to godwit_worker")
    await change(
        owner,
        "create trigger raised after update on job for each row when (new.state = 'leased')"
        " execute function raise_lane()",
    )
    try:
        assert await claim(worker) == []
    finally:
        await change(owner, "drop trigger raised on job")
        await change(owner, "drop function raise_lane()")
    assert (await job(owner, older)).state == "superseded"


async def test_what_a_person_asked_for_goes_outside_the_lane(
    web: Database, worker: Database, owner: Database
) -> None:
    """E7: except one a person asked for."""
    newest = await release(web, 5)
    again = await put(web, Answer("done"))
    assert set(await claim(worker)) == {newest, again}


async def test_ranks_end_to_end(web: Database, worker: Database, owner: Database) -> None:
    """E7: a worker at work, releases made one after the other."""
    made = [await release(web, rank) for rank in range(1, 8)]
    async with working(worker):
        await in_state(owner, made[-1], "done")
    assert set(await states(owner, made[:-1])) == {"superseded"}
    assert await attempts(owner, made[0]) == []
