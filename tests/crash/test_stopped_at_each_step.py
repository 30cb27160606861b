"""A worker is told to stop (SIGTERM) at each step of a job: nothing is lost, nothing repeated (E9)."""

import asyncio
import signal

from tests.crash.yard import Yard

STEPS = ("after_claim", "before_settle", "after_settle")


async def test_told_to_stop_between_two_steps_it_ends_what_is_in_hand_and_begins_nothing(yard: Yard) -> None:
    """E9: after the claim, before and after the settle; status 0, and nothing is left in its hands."""
    for number, step in enumerate(STEPS):
        await yard.strike("stop", step)
        await yard.notes(*(f"{step}-{n}" for n in range(6)))
        hand = yard.hire()
        await yard.struck(number + 1)
        hand.send(signal.SIGTERM)  # it hears it when it goes on, at that very step
        hand.send(signal.SIGCONT)
        assert hand.process is not None
        assert await asyncio.to_thread(hand.process.wait, 60) == 0
        assert await yard.asked("select count(*) from job where state = 'leased'") == 0
        assert await yard.asked("select count(*) from job where state = 'ready'") > 0
    last = yard.hire()
    await yard.quiet()
    assert await last.stop() == 0
    told = await yard.books()
    assert [(one.outcomes, len(one.began)) for one in told.values()] == [(["done"], 1)] * 6 * len(STEPS)
