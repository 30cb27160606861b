"""Every connection is cut while a mail server's answer is written down: nobody is asked about it (L1, L4).

By SMTP there is no record: an answer that was forgotten would cost a person's decision.
"""

import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import asyncpg
import pytest

from app.base.settings import settings
from app.testing.faults import cut_connections
from tests.crash.crew import Terms
from tests.crash.mailings import SENDS
from tests.crash.smtp_mailings import SmtpMailing

pytestmark = pytest.mark.anyio
#: An answer counts within its lease: of this machine's slowness nobody is to be late.
TERMS = Terms(smtp=True, settings={"LEASE": "120"})
_WAITS = """
select count(*) > 0 from pg_stat_activity
where application_name = 'godwit_worker' and wait_event in ('relation', 'SyncRep') and query like $1
"""
_STATES = "select string_agg(state, ' ' order by called_at) from batch where account_id = :account"
Trap = Callable[[asyncpg.Connection], AbstractAsyncContextManager[str]]


@asynccontextmanager
async def nothing_moves(connection: asyncpg.Connection) -> AsyncIterator[str]:
    """Whoever writes down an answer waits in the middle of it."""
    async with connection.transaction():
        await connection.execute("lock table batch in share row exclusive mode")
        yield "%update batch set%"


@asynccontextmanager
async def nothing_is_confirmed(connection: asyncpg.Connection) -> AsyncIterator[str]:
    """Whoever has written it down is not told so: the server waits for another, which never comes."""
    await connection.execute("alter system set synchronous_standby_names = 'nobody'")
    await connection.execute("select pg_reload_conf()")
    try:
        yield "commit%"
    finally:
        await connection.execute("alter system reset synchronous_standby_names")
        await connection.execute("select pg_reload_conf()")


@pytest.mark.parametrize("trap", [nothing_moves, nothing_is_confirmed])
async def test_an_answer_is_written_down_when_the_database_is_back(mailing: SmtpMailing, trap: Trap) -> None:
    """Rolled back, it is said again; committed already, it is counted once."""
    await mailing.strike("stop", "ledger", "before_settle", SENDS)
    await mailing.write_to(1)
    [pid] = await mailing.struck()
    hand, eyes = [await asyncpg.connect(settings().database.owner_url) for _ in range(2)]

    async def in_the_middle() -> bool:
        return await eyes.fetchval(_WAITS, doing)

    try:
        async with trap(hand) as doing:
            os.kill(pid, signal.SIGCONT)
            await mailing.all_of(in_the_middle)
            assert await cut_connections() > 0
    finally:
        await hand.close()
        await eyes.close()
    await mailing.each_has_one_by_the_log()
    assert await mailing.asked(_STATES, account=mailing.audience.account_id) == "accepted"
    assert await mailing.crew.of(pid).stop() == 0
