"""Waiting until everything that is due was done; with a moved clock also what becomes due later."""

import asyncio
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from app.answers import iso_or_none
from app.base.database import Database, Tx
from app.base.errors import Invalid, Problem
from app.testing.clock import MOST_SECONDS, advance_to
from app.testing.questions import number

LOOK = 0.1
MOST = 50
#: How far ahead (s) a drain that moves the clock looks, unless told.
A_DAY = 86_400.0
_LEFT = """
select what, why, due, blocking from mailbox.work_left(cast(:account as bigint))
order by blocking desc, due nulls last limit :most
"""
_HORIZON = "select godwit_now() + make_interval(secs => :seconds)"


def horizon_of(given: Mapping[str, Any]) -> float | None:
    """How many seconds ahead the clock may be moved, None: not at all. Raises Invalid."""
    wanted = given.get("advance") or False
    if not isinstance(wanted, bool):
        raise Invalid([Problem("advance", "This is true or false.")])
    until = number(given, "until", None, least=0, most=MOST_SECONDS)
    if until is not None and not wanted:
        raise Invalid(
            [Problem("until", 'It says how far the clock may move; ask for that with "advance": true.')]
        )
    return (A_DAY if until is None else until) if wanted else None


async def until_quiet(
    database: Database, account_id: int | None, seconds: float, *, ahead: float | None = None
) -> dict[str, Any]:
    """Wait at most so long; `waiting` is what is left: in the way when not quiet, else work for later.

    `ahead`: whenever all is quiet the clock is moved to the next due time, until nothing is due within so
    many seconds from now.
    """
    loop = asyncio.get_running_loop()
    until = loop.time() + seconds
    horizon = await _horizon(database, ahead)
    while True:
        async with database.transaction() as tx:
            left = await _left(tx, account_id)
            quiet = not any(row.blocking for row in left)
            due = _next(left, horizon) if quiet else None
            late = loop.time() >= until
            if due is not None and not late:
                await advance_to(tx, due)
        if late or (quiet and due is None):
            waiting = [{"what": row.what, "why": row.why, "due": iso_or_none(row.due)} for row in left]
            return {"quiet": quiet and due is None, "waiting": waiting}
        await asyncio.sleep(min(LOOK, max(0.0, until - loop.time())))


def _next(left: list[Any], horizon: datetime | None) -> datetime | None:
    """When the next work within the horizon is due."""
    if horizon is None:
        return None
    return min((row.due for row in left if row.due is not None and row.due <= horizon), default=None)


async def _horizon(database: Database, ahead: float | None) -> datetime | None:
    if ahead is None:
        return None
    async with database.transaction() as tx:
        return await tx.value(_HORIZON, seconds=ahead)


async def _left(tx: Tx, account_id: int | None) -> list[Any]:
    return await tx.rows(_LEFT, account=account_id, most=MOST)
