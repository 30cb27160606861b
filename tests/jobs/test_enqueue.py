"""Making jobs: E1 and E5."""

import asyncio
from datetime import UTC, datetime, timedelta, timezone

import pytest

from app.base.database import Database
from app.jobs import Order, enqueue, enqueue_many, enqueue_platform
from tests.jobs.kinds import QUEUE, Answer, Note, Secret
from tests.jobs.makers import attempts, change, in_state, job, put, working
from tests.waiting import until

DONE = Answer("done")


async def count(owner: Database) -> int:
    async with owner.transaction() as tx:
        return await tx.value("select count(*) from job")


async def test_a_rolled_back_cause_leaves_no_job(web: Database, owner: Database) -> None:
    """E1."""
    with pytest.raises(ZeroDivisionError):  # noqa: PT012 - the transaction is the act
        async with web.transaction(account_id=7) as tx:
            assert await enqueue(tx, DONE, key="only once")
            raise ZeroDivisionError
    assert await count(owner) == 0
    assert await put(web, DONE, key="only once"), "the key was not used up by what never happened"


async def test_job_and_cause_are_there_together(web: Database, owner: Database) -> None:
    """E1: nobody sees the job before its cause is committed."""
    async with web.transaction(account_id=7) as tx:
        await tx.execute("update account set name = 'Changed'")
        made = await enqueue(tx, DONE)
        assert await count(owner) == 0
    assert (await job(owner, made)).account_id == 7


async def test_a_known_key_makes_nothing_and_is_no_error(web: Database, owner: Database) -> None:
    """E5."""
    first = await put(web, DONE, key="invoice:1")
    assert first
    assert await put(web, DONE, key="invoice:1") is None
    assert await put(web, DONE, key="invoice:2")
    assert await put(web, DONE, account=8, key="invoice:1"), "another account's keys are its own"
    assert await put(web, Note("a", "/dev/null"), key="invoice:1"), "another kind's keys are its own"


async def test_the_key_outlives_the_job(web: Database, owner: Database) -> None:
    """E5: also after pruning."""
    await put(web, DONE, key="once for ever")
    await change(owner, "delete from job")
    assert await put(web, DONE, key="once for ever") is None


async def test_two_at_the_same_moment_make_one_job(web: Database, owner: Database) -> None:
    """E5: under a race too, and the one who comes second is not refused."""
    made = await asyncio.gather(*(put(web, DONE, key="race") for _ in range(8)))
    assert len([one for one in made if one]) == 1
    assert await count(owner) == 1


async def test_many_are_made_in_one_statement_without_their_doubles(web: Database) -> None:
    """E5: a key twice in one call is one job."""
    async with web.transaction(account_id=7) as tx:
        made = await enqueue_many(tx, [Order(DONE, key=key) for key in ("a", "b", "a")] + [Order(DONE)])
    assert len(made) == 3


async def test_an_order_is_kept_as_it_was_given(web: Database, owner: Database) -> None:
    """All that an order can say, beside what its kind says; what neither says is not there."""
    at, end = datetime(2027, 1, 2, 3, 4, 5, 600, UTC), datetime(2027, 1, 3, tzinfo=UTC)
    orders = [
        Order(Secret('1 \u2028 \\ "', "\U0001f426"), "a", at, end, "share", "lane", 9, 2),
        Order(DONE, run_at=at.astimezone(timezone(timedelta(hours=5, minutes=45)))),
        Order(DONE, "b"),
    ]
    async with web.transaction(account_id=7) as tx:
        told, moved, plain = await enqueue_many(tx, orders)
    full = await job(owner, told)
    assert (full.kind, full.queue, full.secrets) == ("test_secret", QUEUE, ["code"])
    assert full.args == {"code": '1 \u2028 \\ "', "word": "\U0001f426", "outcome": "done"}
    assert (full.run_at, full.expires_at, full.share, full.lane, full.rank) == (at, end, "share", "lane", 9)
    assert full.max_attempts == 2
    assert (await job(owner, moved)).run_at == at
    bare = await job(owner, plain)
    assert (bare.secrets, bare.share, bare.lane, bare.rank, bare.expires_at) == ([], "7", None, None, None)
    assert (bare.max_attempts, bare.on_unknown, bare.version) == (3, "held", 1)


async def test_the_clock_is_asked_once_for_all_of_a_call(web: Database, owner: Database) -> None:
    """However many there are: it took a third of the time of making them."""
    async with web.transaction(account_id=7) as tx:
        await enqueue_many(tx, [Order(DONE, str(n)) for n in range(50)] + [Order(DONE)] * 50)
    async with owner.transaction() as tx:
        assert (
            await tx.value("select count(distinct (run_at, created_at)) from job where run_at = created_at")
            == 1
        )
        assert await tx.value("select count(distinct created_at) from job_key") == 1


async def test_what_waited_for_a_key_is_due_from_then_on(web: Database, owner: Database) -> None:
    """A job that is committed long after it was due is found by a look alone, and later."""

    async def both() -> list[int]:
        async with web.transaction(account_id=7) as tx:
            return await enqueue_many(tx, [Order(DONE), Order(DONE, "wanted")])

    async def waits() -> bool:
        async with owner.transaction() as tx:
            return await tx.value("select exists (select from pg_locks where not granted)")

    async with web.transaction(account_id=7) as first:
        assert await enqueue(first, DONE, key="wanted")
        second = asyncio.create_task(both())
        await until(waits)
        before = await first.value("select godwit_now()")
    made = await second
    assert len(made) == 1
    assert (await job(owner, made[0])).run_at > before


async def test_the_platform_has_jobs_without_an_account(
    web: Database, worker: Database, owner: Database
) -> None:
    """Sign-in has no account; its jobs belong to account 0, which the web cannot read."""
    async with web.transaction() as tx:
        made = await enqueue_platform(tx, Secret("123456", "x"), key="k")
        assert await enqueue_platform(tx, Secret("123456", "x"), key="k") is None
        assert await tx.value("select count(*) from job") == 0
    async with working(worker):
        done = await in_state(owner, made, "done")
    assert done.account_id == 0
    assert done.args == {"word": "x", "outcome": "done"}
    assert [one.outcome for one in await attempts(owner, made)] == ["done"]
