"""Redis forgets a ring that nobody has heard, or dies between a worker's last look and its rest (E2)."""

import asyncio
import os
import signal

import pytest
from redis import asyncio as aioredis

from app.cli.services import Services
from app.jobs import bell
from tests.crash.yard import Yard

#: Its last look is over as well.
_AT_REST = "select max(ended_at) < clock_timestamp() - interval '0.5 seconds' from attempt"


@pytest.mark.parametrize("how", ["flushed", "killed"])
async def test_a_ring_that_is_lost_before_it_is_heard_costs_one_sweep(
    yard: Yard, services: Services, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """E2: the bell was rung, everyone was deaf just then, and no trace of it is left."""
    monkeypatch.setattr(bell, "PATIENCE", 30)  # a hint that a slow machine gave up is not what this is about
    hand = yard.hire()
    await hand.says("worker_started")
    await yard.notes("before")
    await yard.becomes(_AT_REST)
    await yard.frozen_at_rest(hand)
    await yard.notes("rung-in-vain", "beside")
    assert services.redis is not None
    async with aioredis.from_url(services.redis_url) as redis:
        assert await redis.exists("bell:build", bell.arq_queue("build")) == 2, "it was rung"
        if how == "flushed":
            await redis.flushall()
    if how == "killed":
        services.redis.stop()
        services.redis.start()
    hand.send(signal.SIGCONT)
    await yard.quiet()
    assert await hand.stop() == 0
    told = await yard.books()
    assert [one.outcomes for one in told.values()] == [["done"]] * 3


async def test_work_that_comes_after_the_last_look_is_looked_for_once_more(
    yard: Yard, services: Services
) -> None:
    """E2: settled, about to rest; more work is committed, Redis is dead, the timer minutes away."""
    await yard.strike("stop", "after_settle")
    await yard.notes("last")
    hand = yard.hire(GODWIT_SWEEP="600")
    await yard.struck()
    assert services.redis is not None
    services.redis.stop()
    await yard.notes("after-the-last-look", "beside")
    hand.send(signal.SIGCONT)
    await yard.quiet()
    assert await hand.stop() == 0
    told = await yard.books()
    assert [one.outcomes for one in told.values()] == [["done"]] * 3


async def test_who_is_told_to_stop_while_redis_is_frozen_ends_all_the_same(
    yard: Yard, services: Services
) -> None:
    """E9: nothing of its end waits for the bell."""
    hand = yard.hire()
    await yard.notes("before")
    await yard.quiet()
    async with aioredis.from_url(services.redis_url) as redis:
        frozen = (await redis.info("server"))["process_id"]
    os.kill(frozen, signal.SIGSTOP)
    try:
        assert await asyncio.wait_for(hand.stop(), 60) == 0
    finally:
        os.kill(frozen, signal.SIGCONT)
