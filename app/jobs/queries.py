"""What is asked about jobs."""

from dataclasses import dataclass
from datetime import datetime

from app.base.database import Tx


@dataclass(frozen=True)
class JobView:
    """A job as operators and pages see it; `reason` says why it is where it is."""

    id: int
    kind: str
    state: str
    attempts: int
    run_at: datetime
    reason: str | None


_DUE = """
select count(*) as n, min(run_at) as oldest from job
where (state = 'ready' and run_at <= godwit_now()) or state = 'leased'
"""
_OF_KIND = """
select id, kind, state, attempts, run_at, reason from job
where account_id = :account and kind = :kind order by id desc limit :most
"""


@dataclass(frozen=True)
class DueWork:
    """How much is due or in hand, and since when the oldest is due."""

    count: int
    oldest: datetime | None


async def due_work(tx: Tx) -> DueWork:
    """What is due or leased, in the account of the transaction (over all as the worker)."""
    row = await tx.row(_DUE)
    assert row is not None
    return DueWork(row.n, row.oldest)


async def jobs_of_kind(tx: Tx, kind: str, *, most: int = 50) -> list[JobView]:
    """The newest jobs of a kind in the transaction's account."""
    rows = await tx.rows(_OF_KIND, account=tx.account_id, kind=kind, most=most)
    return [JobView(row.id, row.kind, row.state, row.attempts, row.run_at, row.reason) for row in rows]
