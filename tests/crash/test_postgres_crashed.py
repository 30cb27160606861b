"""PostgreSQL crashes (`-m immediate`) at each boundary of a job and is started again (E2, E3, E4)."""

import signal

from app.cli.services import Services
from tests.crash.servers import crash, start_again
from tests.crash.yard import Yard


async def test_whatever_was_committed_before_the_crash_stands_and_is_done_once(
    yard: Yard, services: Services
) -> None:
    """E2, E4: one worker lives through three crashes; what it had in hand it settles at its first try.

    A lease that ran out would be told as `lost`, and the job tried again: right by the table of moves, and no
    part of this. The lease outlives the three crashes, and nothing else is in hand at any of them: whoever
    asks a failpoint just when the database dies never begins, and leaves its job to the end of its lease.
    """
    for at in ("after_claim", "before_settle", "after_settle"):
        await yard.strike("stop", at)
    await yard.notes("in-hand")
    hand = yard.hire(GODWIT_LEASE="600")
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
    waiting = [f"waiting-{n}" for n in range(6)]
    await yard.notes(*waiting)
    await crash(services)
    await start_again(services)
    hand.send(signal.SIGCONT)
    await yard.quiet()
    assert await hand.stop() == 0
    told = await yard.books()
    assert {word: (one.outcomes, len(one.began)) for word, one in told.items()} == {
        word: (["done"], 1) for word in ["in-hand", *waiting]
    }
