"""PostgreSQL crashes (`-m immediate`) at each boundary of a job and is started again (E2, E3, E4)."""

import signal

from app.cli.services import Services
from tests.crash.servers import crash, start_again
from tests.crash.yard import Yard


async def test_whatever_was_committed_before_the_crash_stands_and_is_done_once(
    yard: Yard, services: Services
) -> None:
    """E2, E4: one worker lives through three crashes; what it had in hand it settles itself, once."""
    for at in ("after_claim", "before_settle", "after_settle"):
        await yard.strike("stop", at)
    await yard.notes(*(f"note-{n}" for n in range(6)))
    hand = yard.hire()
    await yard.struck(1)
    await crash(services)
    await start_again(services)
    hand.send(signal.SIGCONT)
    await yard.struck(2)
    await crash(services)
    hand.send(signal.SIGCONT)  # it settles while nobody is there to be told
    await hand.says("claim_failed")
    await start_again(services)
    await yard.struck(3)
    await crash(services)
    await start_again(services)
    hand.send(signal.SIGCONT)
    await yard.quiet()
    assert hand.stop() == 0
    told = await yard.books()
    # Frozen for longer than a lease, a worker has lost its job before it began: that is told, and done once.
    assert [one.outcomes[-1] for one in told.values()] == ["done"] * 6
    assert {outcome for one in told.values() for outcome in one.outcomes[:-1]} <= {"lost"}
    assert [len(one.began) for one in told.values()] == [1] * 6
