"""The clock that people see and schedule by, moved ahead; leases and deadlines keep the real one."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from app.answers import iso
from app.base.database import Tx
from app.base.errors import Invalid, Problem
from app.testing.questions import number

#: Ten years in one step are enough for any test, and far from the end of what timestamps hold.
MOST_SECONDS = 10 * 366 * 86_400
_ADVANCE = """
update clock set ahead = ahead + make_interval(secs => :seconds)
where ahead + make_interval(secs => :seconds) < interval '100 years'
"""
_ADVANCE_TO = "update clock set ahead = ahead + greatest(interval '0', :moment - godwit_now())"
_READ = "select godwit_now() as now, extract(epoch from ahead)::double precision as ahead from clock"


async def advance(tx: Tx, given: Mapping[str, Any]) -> None:
    """Move the clock by `advance` seconds, forwards only. Raises Invalid."""
    seconds = number(given, "advance", None, least=0, most=MOST_SECONDS)
    if seconds is None:
        raise Invalid([Problem("advance", "Say by how many seconds the clock moves ahead.")])
    if not await tx.execute(_ADVANCE, seconds=seconds):
        raise Invalid(
            [Problem("advance", "The clock is a hundred years ahead already; start another Godwit.")]
        )


async def advance_to(tx: Tx, moment: datetime) -> None:
    """Move the clock to an instant, if that is still to come."""
    await tx.execute(_ADVANCE_TO, moment=moment)


async def clock_json(tx: Tx) -> dict[str, Any]:
    """What the clock says, and how many seconds it is ahead of the real one."""
    row = await tx.row(_READ)
    assert row is not None
    return {"now": iso(row.now), "ahead": row.ahead}
