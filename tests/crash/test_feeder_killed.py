"""The feeder is killed, or freezes, inside its round, while it holds the lock of all feeders (E2, L1)."""

import signal
from collections import Counter

from app.base.database import Database
from tests.crash.scenario import copies
from tests.crash.yard import Hand, Yard
from tests.ledger.makers import Audience, audience_of, build, mailing_to, state_of
from tests.waiting import until

READERS = 60
FEEDS = "%ordered as materialized%"  # the grant: it holds the lock, and waits for the table


async def feeding(yard: Yard, sign: signal.Signals) -> tuple[Hand, Audience, object]:
    """A mailing that a worker began to feed when it was struck inside its round; a second one is hired."""
    audience = await audience_of(yard.web, READERS)
    mailing = await mailing_to(yard.web, audience)
    await build(yard.worker, audience, mailing)
    async with yard.owner.transaction() as tx:
        await tx.execute("set local idle_in_transaction_session_timeout = 0")
        await tx.execute("lock table job in share row exclusive mode")
        first = yard.hire("sends,housekeeping", module="workers")
        await yard.waiting(FEEDS)
        first.send(sign)
    yard.hire("sends,housekeeping", module="workers")
    return first, audience, mailing


async def finished(database: Database, audience: Audience, mailing) -> None:
    """Wait until the mailing is over."""

    async def over() -> bool:
        return await state_of(database, audience, mailing) == "finished"

    await until(over, seconds=100)


async def test_a_feeder_killed_in_its_round_leaves_no_leave_and_no_lock(yard: Yard) -> None:
    """E2, L1: what it granted went with it; another feeds."""
    _, audience, mailing = await feeding(yard, signal.SIGKILL)
    await finished(yard.worker, audience, mailing)
    assert yard.hands[1].stop() == 0
    assert Counter((await copies(yard.owner)).values()) == {1: READERS}


async def test_a_feeder_frozen_in_its_round_loses_the_lock_and_wakes_to_nothing(yard: Yard) -> None:
    """E2, E11, L1: the database ends its transaction after ten seconds; nobody waits longer for it."""
    first, audience, mailing = await feeding(yard, signal.SIGSTOP)
    await finished(yard.worker, audience, mailing)
    first.send(signal.SIGCONT)
    assert [hand.stop() for hand in yard.hands] == [0, 0]
    assert Counter((await copies(yard.owner)).values()) == {1: READERS}
