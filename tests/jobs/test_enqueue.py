"""Making jobs: E1 and E5."""

import asyncio

import pytest

from app.base.database import Database
from app.jobs import Order, enqueue, enqueue_many, enqueue_platform
from tests.jobs.kinds import Answer, Note, Secret
from tests.jobs.makers import attempts, change, in_state, job, put, working

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
