"""Waiting until everything that is due was done."""

import asyncio
from typing import Any

from app.answers import iso
from app.base.database import Database, Tx

LOOK = 0.1
MOST = 50
_LEFT = """
select what, why, due, blocking from mailbox.work_left(cast(:account as bigint))
order by blocking desc, due limit :most
"""


async def until_quiet(database: Database, account_id: int | None, seconds: float) -> dict[str, Any]:
    """Wait at most so long; `waiting` is what is left: in the way when not quiet, else work for later."""
    loop = asyncio.get_running_loop()
    until = loop.time() + seconds
    while True:
        async with database.transaction() as tx:
            left = await _left(tx, account_id)
        quiet = not any(row.blocking for row in left)
        if quiet or loop.time() >= until:
            waiting = [{"what": row.what, "why": row.why, "due": iso(row.due)} for row in left]
            return {"quiet": quiet, "waiting": waiting}
        await asyncio.sleep(min(LOOK, max(0.0, until - loop.time())))


async def _left(tx: Tx, account_id: int | None) -> list[Any]:
    return await tx.rows(_LEFT, account=account_id, most=MOST)
