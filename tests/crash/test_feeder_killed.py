"""The feeder is killed, or freezes, inside its round, while it holds the lock of all feeders (E2, L1)."""

import signal
from collections import Counter

from app.base.database import Database
from app.cli.services import Services
from tests.crash.scenario import LONG, copies
from tests.crash.yard import Hand, Yard
from tests.ledger.makers import Audience, audience_of, build, mailing_to, state_of
from tests.waiting import until

READERS = 60
FEEDS = "%ordered as materialized%"  # the grant: it holds the lock, and waits as well
#: Where the grant waits. In its execution: the database has all of it, and then hears nothing more.
ACCOUNT = "select from account where id = :account for update"
#: As it is prepared: the database is in the middle of it, and not idle.
TABLE = "lock table job in share row exclusive mode"


async def feeding(
    yard: Yard, sign: signal.Signals, *, held: str = ACCOUNT, module: str = "workers"
) -> tuple[Hand, Audience, object]:
    """A mailing that a worker began to feed when it was struck inside its round; a second one is hired."""
    audience = await audience_of(yard.web, READERS)
    mailing = await mailing_to(yard.web, audience)
    await build(yard.worker, audience, mailing)
    async with yard.owner.transaction() as tx:
        await tx.execute("set local idle_in_transaction_session_timeout = 0")
        await tx.execute(held, **({"account": audience.account_id} if held == ACCOUNT else {}))
        first = yard.hire("sends,housekeeping", module=module)
        await yard.waiting(FEEDS)
        first.send(sign)
    yard.hire("sends,housekeeping", module="workers")
    return first, audience, mailing


async def finished(database: Database, audience: Audience, mailing) -> None:
    """Wait until the mailing is over."""

    async def over() -> bool:
        return await state_of(database, audience, mailing) == "finished"

    await until(over, seconds=LONG)


async def test_a_feeder_killed_in_its_round_leaves_no_leave_and_no_lock(yard: Yard) -> None:
    """E2, L1: what it granted went with it; another feeds."""
    _, audience, mailing = await feeding(yard, signal.SIGKILL)
    await finished(yard.worker, audience, mailing)
    assert await yard.hands[1].stop() == 0
    assert Counter((await copies(yard.owner)).values()) == {1: READERS}


async def test_a_feeder_frozen_in_its_round_loses_the_lock_and_wakes_to_nothing(
    yard: Yard, services: Services
) -> None:
    """E2, E11, L1: the database hears nothing for ten seconds, and ends its transaction."""
    first, audience, mailing = await feeding(yard, signal.SIGSTOP)
    await woken_to_nothing(yard, first, audience, mailing)
    assert ended_for("idle-in-transaction timeout", services)


async def test_a_feeder_frozen_in_mid_statement_loses_the_lock_as_well(
    yard: Yard, services: Services
) -> None:
    """E2, E11, L1: the database waits for the rest of a statement; a transaction has its longest time."""
    first, audience, mailing = await feeding(
        yard, signal.SIGSTOP, held=TABLE, module="tests.crash.hasty_transactions"
    )
    await woken_to_nothing(yard, first, audience, mailing)
    assert ended_for("transaction timeout", services)


async def woken_to_nothing(yard: Yard, first: Hand, audience: Audience, mailing: object) -> None:
    """The second feeds meanwhile; what the first had begun never was."""
    await finished(yard.worker, audience, mailing)
    first.send(signal.SIGCONT)
    assert [await hand.stop() for hand in yard.hands] == [0, 0]
    assert Counter((await copies(yard.owner)).values()) == {1: READERS}


def ended_for(reason: str, services: Services) -> bool:
    """Whether the database ended a connection for this, and said so."""
    said = (services.folder.path / "postgres.log").read_text()
    return f"terminating connection due to {reason}" in said
