"""A person acts while workers stand at a boundary: what is claimed after that respects it (L5)."""

from typing import Any

import asyncpg
import pytest
from sqlalchemy.exc import DBAPIError

from app import switches
from app.base.database import Tx
from app.base.settings import settings
from app.ledger import cancel, pause, resume
from app.readers import unsubscribe_many
from tests.crash.mailings import SENDS, Mailing

pytestmark = pytest.mark.anyio
READERS = 40
#: At the first nothing is claimed yet; at the others ten copies were before the act.
BOUNDARIES = (
    ("jobs", "after_claim"),
    ("ledger", "after_claim"),
    ("ledger", "after_talk"),
    ("ledger", "after_settle"),
)
# A claim whose statement began before the act may still be on its way to its commit.
_OLDER = """
select count(*) from pg_stat_activity
where application_name = 'godwit_worker' and xact_start < $1
"""
# As the server would in the end: who froze in a transaction does not hold up this test for a minute.
_END_IDLE = """
select pg_terminate_backend(pid) from pg_stat_activity
where application_name = 'godwit_worker' and state = 'idle in transaction'
  and state_change < clock_timestamp() - interval '2 s'
"""
_CLAIMED = """
select jsonb_path_query(blanks, '$.*[0]') #>> '{}' as address from batch
where account_id = :account and blanks is not null
union
select address from send where account_id = :account and state = 'sent'
"""
_BUSY = """
select (select count(*) from batch where account_id = :account and state in ('calling', 'unknown'))
     + (select count(*) from job where account_id = :account and state = 'leased')
"""


async def act(mailing: Mailing, what: str, tx: Tx) -> None:
    """What a person does, by the doors that pages and API use."""
    match what:
        case "pause":
            await pause(tx, mailing.id, "Ana")
        case "cancel":
            await cancel(tx, mailing.id, "Ana")
        case "stop":
            await switches.stop(tx, scope="bulk", reason="a wrong link", by="Ana")
        case _:
            readers = [row.id for row in await tx.rows("select id from reader")]
            await unsubscribe_many(tx, readers, None, "they all left")


async def acted(mailing: Mailing, what: str) -> set[str]:
    """Act, and answer whose copies had been claimed by then."""

    async def pressed() -> bool:
        try:
            async with mailing.web.transaction(mailing.audience.account_id) as tx:
                await act(mailing, what, tx)
        except DBAPIError as error:  # who froze in a transaction holds the mailing, seconds at most
            if "lock timeout" not in str(error):
                raise
            await as_administrator(_END_IDLE)
            return False
        return True

    await mailing.all_of(pressed)
    at = await mailing.asked("select clock_timestamp()")

    async def all_ended() -> bool:
        await as_administrator(_END_IDLE)
        return not await as_administrator(_OLDER, at)

    await mailing.all_of(all_ended)
    return await addresses_claimed(mailing)


async def as_administrator(question: str, *about: object) -> Any:
    """One value, of one who sees everybody's sessions."""
    connection: Any = await asyncpg.connect(settings().database.owner_url)
    try:
        return await connection.fetchval(question, *about)
    finally:
        await connection.close()


async def addresses_claimed(mailing: Mailing) -> set[str]:
    """Of whom a copy is under way, or was sent."""
    async with mailing.owner.transaction() as tx:
        rows = await tx.rows(_CLAIMED, account=mailing.audience.account_id)
    return {row.address for row in rows}


async def quiet(mailing: Mailing) -> None:
    """Wait until no call is open and no job of the account in hand; what a switch stops stays ready."""

    async def so() -> bool:
        return not await mailing.asked(_BUSY, account=mailing.audience.account_id)

    await mailing.all_of(so)


@pytest.mark.parametrize("what", ["pause", "cancel", "stop", "leave"])
@pytest.mark.parametrize(("place", "at"), BOUNDARIES)
async def test_what_is_claimed_after_the_act_respects_it(
    mailing: Mailing, place: str, at: str, what: str
) -> None:
    """L5, L7, L10: all go on where they stood; only what was claimed before the act has left."""
    await mailing.stop_all(place, at, SENDS)
    await mailing.write_to(READERS)
    await mailing.one_stopped()
    before = await acted(mailing, what)
    await mailing.all_go_on()
    await quiet(mailing)
    if what in ("cancel", "leave"):
        await mailing.settled()
    assert set(await mailing.copies()) <= before
    view = await (mailing.audited() if what == "leave" else mailing.view())
    gone = len(await mailing.copies())
    assert view.figures.sent == gone
    if what in ("cancel", "leave"):
        assert view.figures.skipped == READERS - gone
        assert view.state == ("cancelled" if what == "cancel" else "finished")
        return
    assert view.figures.planned == READERS - gone
    async with mailing.web.transaction(mailing.audience.account_id) as tx:
        if what == "pause":
            if view.state == "paused":
                await resume(tx, mailing.id)
        else:
            await switches.start(tx, reason="it is mended", by="Ana")
            await switches.let_go(tx, by="Ana")
    await mailing.each_has_one()
