"""What a process follows while Godwit is in testing mode: the moved clock, and the failpoints that are armed.

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
