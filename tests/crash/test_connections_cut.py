"""Every connection is cut at once, inside a claim, inside a settle, and while either commits (E2-E4)."""

import signal
from contextlib import asynccontextmanager

import pytest

from app.testing.faults import cut_connections
from tests.crash.yard import Yard


@asynccontextmanager
async def nothing_moves(yard: Yard):
    """Nobody can change a job: whoever begins to waits in the middle of the statement."""
    async with yard.owner.transaction() as tx:
        await tx.execute("set local idle_in_transaction_session_timeout = 0")
        await tx.execute("lock table job in share row exclusive mode")
        yield


@asynccontextmanager
async def nothing_is_confirmed(yard: Yard):
    """Who commits has committed, and is not told: the server waits for another, which never comes."""
    await yard.configure("set synchronous_standby_names = 'nobody'")
    try:
        yield
    finally:
        await yard.configure("reset synchronous_standby_names")


async def cut_while(yard: Yard, doing: str) -> None:
    """Cut everything once a worker is in such a statement."""
    await yard.waiting(doing)
    assert await cut_connections() > 0


@pytest.mark.parametrize("trap", [nothing_moves, nothing_is_confirmed])
async def test_cut_in_its_claim_the_job_is_claimed_again(yard: Yard, trap) -> None:
    """E2, E3: rolled back, it is ready; committed, its lease runs out: nobody was told that it is theirs."""
    hand = yard.hire()
    await hand.says("worker_started")
    first, *_ = await yard.notes("before")
    await yard.becomes("select state = 'done' from job where id = :id", id=first)
    await yard.frozen_at_rest(hand)
    await yard.notes("cut", "beside")
    async with trap(yard):
        hand.send(signal.SIGCONT)
        await cut_while(yard, "commit%" if trap is nothing_is_confirmed else "%update job j set%")
    await yard.leases_over()
    await yard.quiet()
    assert await hand.stop() == 0
    told = await yard.books()
    lost = ["lost"] if trap is nothing_is_confirmed else []
    assert told["cut"].outcomes == told["beside"].outcomes == [*lost, "done"]
    assert {len(one.began) for one in told.values()} == {1}


@pytest.mark.parametrize("trap", [nothing_moves, nothing_is_confirmed])
async def test_cut_in_its_settle_the_worker_says_it_again_and_it_counts_once(yard: Yard, trap) -> None:
    """E2, E4: rolled back, it is written at the next try; committed already, the next try changes nothing."""
    await yard.notes("cut", "beside", gated=True)
    hand = yard.hire()
    await yard.wrote("begin cut")
    await yard.wrote("begin beside")
    async with trap(yard):
        yard.gate.touch()
        await cut_while(yard, "commit%" if trap is nothing_is_confirmed else "%ours as%")
    await yard.quiet()
    assert await hand.stop() == 0
    told = await yard.books()
    assert [(one.outcomes, len(one.began)) for one in told.values()] == [(["done"], 1)] * 2
