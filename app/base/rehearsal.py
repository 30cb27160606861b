"""What a process follows while Godwit is in testing mode: the moved clock, and the failpoints that are armed;
and whom it may call although they are on this machine.

Statements see a moved clock at once, because `godwit_now()` reads it; dates that Python writes follow
within a second.
"""

import asyncio
from contextlib import suppress
from datetime import timedelta

from app.base import clock, failpoints
from app.base.database import Database
from app.base.errors import Unavailable
from app.base.settings import settings
from app.base.telemetry import log

#: Seconds between looks.
EVERY = 0.4
#: Where receivers of webhooks listen.
RECEIVERS_HOST = "127.0.0.1"
_RECEIVERS = "select distinct port from mailbox.receiver"
_LOOK = """
select (select ahead from clock) as ahead,
       array(select distinct at from mailbox.fault
             where target = 'worker' and (times is null or fired < times)) as armed
"""


async def follow(database: Database) -> set[str]:
    """Look once; nothing to look at outside testing mode. Answers the empty set: no queue got work.

    A database that is away is looked at again the next time; others say so.
    """
    if settings().mode == "testing":
        with suppress(Unavailable):
            async with database.transaction() as tx:
                row = await tx.row(_LOOK)
            assert row is not None
            clock.set_ahead(row.ahead)
            failpoints.arm(row.armed)
    return set()


async def receivers(database: Database) -> frozenset[tuple[str, int]]:
    """Host and port of the receivers of webhooks that testers made; nobody's outside testing mode.

    Asked each time: what was made a moment ago may be called now.
    """
    if settings().mode != "testing":
        return frozenset()
    async with database.transaction() as tx:
        return frozenset((RECEIVERS_HOST, row.port) for row in await tx.rows(_RECEIVERS))


async def follow_on(database: Database) -> None:
    """Look again and again, until cancelled; then this process has the real clock again."""
    try:
        while settings().mode == "testing":
            try:
                await follow(database)
            except Exception as error:  # the next look repairs it
                log.warning("following_failed", error=repr(error))
            await asyncio.sleep(EVERY)
    finally:
        clock.set_ahead(timedelta())
        failpoints.arm(())
