"""PostgreSQL freezes (SIGSTOP) while a job is in hand, for longer than anybody waits for it (E2, E4)."""

import signal

from app.cli.services import Services
from tests.crash.servers import frozen
from tests.crash.yard import Yard


async def test_a_silent_database_is_told_once_it_answers_and_nothing_is_done_twice(
    yard: Yard, services: Services
) -> None:
    """E2, E4: what was done while it was silent is written when it speaks; claims go on by themselves."""
    await yard.strike("stop", "after_claim")
    await yard.notes("in-hand")
    hand = yard.hire()
    await yard.struck()
    waiting = [f"waiting-{n}" for n in range(20)]
    await yard.notes(*waiting)
    with frozen(services):
        hand.send(signal.SIGCONT)
        await hand.says("claim_failed")
        await yard.wrote("end in-hand")
    await yard.quiet()
    assert await hand.stop() == 0
    told = await yard.books()
    assert {word: (one.outcomes, len(one.began)) for word, one in told.items()} == {
        word: (["done"], 1) for word in ["in-hand", *waiting]
    }
