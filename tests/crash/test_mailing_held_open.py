"""Somebody holds a transaction open over a mailing, or its row: it goes on, or does so afterwards (E2)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import pytest

from app.base.settings import settings
from app.ledger.feeder import FEED_LOCK
from tests.crash.mailings import SENDS, Mailing

pytestmark = pytest.mark.anyio
READERS = 60
_PLANNED = "select sum(n)::bigint from tally where account_id = $1 and state = 'planned'"
_LOCK = "select 1 from mailing where id = $1 for update"
_BATCHES = "select count(*) from batch where account_id = :account"
_GAVE_UP = "select count(*) from job where account_id = :account and reason like '%lock timeout%'"
_AGAIN_NOW = "update job set run_at = godwit_now() where account_id = :account and state = 'ready'"


@asynccontextmanager
async def held_open() -> AsyncIterator[Any]:
    """A transaction of nobody's role, which no time-out ends."""
    connection: Any = await asyncpg.connect(settings().database.owner_url)
    try:
        async with connection.transaction(isolation="repeatable_read"):
            yield connection
    finally:
        await connection.close()


async def test_a_snapshot_held_open_over_all_of_it_changes_nothing(mailing: Mailing) -> None:
    """E2, L1, L7: from before its first claim to after its audit, a worker killed in the middle."""
    await mailing.strike("kill", "ledger", "before_settle", SENDS)
    await mailing.write_to(READERS)
    async with held_open() as held:
        planned = await held.fetchval(_PLANNED, mailing.audience.account_id)
        [dead] = await mailing.struck()
        await mailing.over(dead)
        await mailing.each_has_one()
        assert await held.fetchval(_PLANNED, mailing.audience.account_id) == planned


async def test_who_holds_the_row_of_a_mailing_stops_its_claims_and_loses_nobody(mailing: Mailing) -> None:
    """E2, L3: a claim waits for the row and gives up by its lock time-out; nothing leaves meanwhile."""
    async with held_open() as held:
        async with held_open() as feeder:
            await feeder.fetchval("select pg_advisory_xact_lock($1)", FEED_LOCK)
            await mailing.write_to(READERS)
            await held.fetchval(_LOCK, mailing.id)
        about = {"account": mailing.audience.account_id}

        async def gave_up() -> bool:
            return bool(await mailing.asked(_GAVE_UP, **about))

        await mailing.all_of(gave_up)
        assert await mailing.asked(_BATCHES, **about) == 0
    async with mailing.owner.transaction() as tx:
        await tx.execute(_AGAIN_NOW, **about)
    await mailing.each_has_one()
