"""The right to try, until a time: taken by the claim, extended in each step, given up by the settle."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy.exc import IntegrityError

from app.base.database import Database, Tx
from app.base.settings import settings
from app.base.statements import sql
from app.jobs.looking_back import BEGINNING

#: The index that says: of a lane, one at a time (E3).
_ONE_OF_LANE = "job_one_of_lane"


class LeaseLost(Exception):
    """Somebody else may hold the job now; whatever was in hand must not be written."""


def seconds_of(queue: str) -> float:
    """How long a lease of this queue lasts: where copies are handed over, as long as a call may take."""
    sending = settings().sending
    return sending.sends_lease if queue == "sends" else sending.lease


_EXTEND = """
update job set leased_until = clock_timestamp() + make_interval(secs => :seconds)
where id = :id and lease = :lease and state = 'leased'
"""


async def extend(tx: Tx, job_id: int, lease: int, queue: str) -> bool:
    """Extend the lease in this commit; False when it is no longer ours: stop."""
    touched = await tx.execute(_EXTEND, id=job_id, lease=lease, seconds=seconds_of(queue))
    return touched == 1


async def expire_leases(tx: Tx) -> list[Any]:
    """Free the jobs whose lease ran out (E2). Runs beside the queues, never in them (E11)."""
    return await tx.rows(sql(__package__, "expire_leases"))


async def due_shares(tx: Tx, queue: str, after: str, most: int, since: datetime = BEGINNING) -> list[Any]:
    """Shares with something due, in the order of their turns, with their account and its kind."""
    return await tx.rows(sql(__package__, "due_shares"), queue=queue, after=after, most=most, since=since)


async def oldest_ready(tx: Tx, queue: str, margin: float) -> datetime:
    """Nothing that is ready was due before this; `margin` seconds off, for what is committed late."""
    return await tx.value(sql(__package__, "oldest_ready"), queue=queue, margin=margin)


async def claim(
    tx: Tx,
    *,
    queue: str,
    kinds: Mapping[str, int],
    worker: str,
    after: str,
    wanted: int,
    per_share: int,
    most_leases: int,
    lanes: bool = True,
    older: bool = True,
    room: Mapping[str, int] | None = None,
    since: datetime = BEGINNING,
) -> list[Any]:
    """Lease at most `wanted` jobs that were due after `since`.

    Rows in state discarded were past their time, or mail is stopped. `kinds`: the newest version this process
    reads of each kind. A share gets `most_leases`, or what `room` says of it, and no more than `per_share`.
    Without `lanes`, no job of a lane. `older`: of every lane of ranks the older ones become superseded; else
    of those lanes alone of which one is leased.
    Raises IntegrityError when another worker leased a sibling of a lane in the same moment.
    """
    rows = await tx.rows(
        sql(__package__, "claim"),
        queue=queue,
        known=dict(kinds),
        worker=worker,
        after=after,
        wanted=wanted,
        per_share=per_share,
        most_leases=most_leases,
        lanes=lanes,
        older=older,
        room=dict(room or {}),
        since=since,
        lease_seconds=seconds_of(queue),
    )
    ranked = [row["id"] for row in rows if row["rank"] is not None]
    if not ranked:
        return rows
    superseded = {row.id for row in await tx.rows(sql(__package__, "supersede"), ids=ranked)}
    return [row for row in rows if row["id"] not in superseded]


async def claim_beside_others(database: Database, **wanted: Any) -> list[Any]:
    """`claim` in a transaction of its own; who loses a lane to another worker goes on without lanes."""
    try:
        async with database.transaction() as tx:
            return await claim(tx, **wanted)
    except IntegrityError as error:
        if _ONE_OF_LANE not in str(error.orig):
            raise
    async with database.transaction() as tx:
        return await claim(tx, **wanted, lanes=False)


async def settle(tx: Tx, ended: list[dict[str, object]], worker: str) -> dict[int, int]:
    """Write what became of jobs; answers those that were still ours (E4), id → lease. The rest is late.

    One job may be among them twice, with an old lease and the one of now.
    """
    rows = await tx.rows(sql(__package__, "settle"), ended=ended, worker=worker)
    return {row["id"]: row["lease"] for row in rows}
