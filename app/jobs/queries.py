"""What is asked about jobs; operators see counts, states, ages and reasons, never what a job carries."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.base.database import Tx

_JOB = """
select j.id, j.account_id, coalesce(a.slug, '') as account, j.queue, j.kind, j.share, j.lane, j.state,
       j.run_at, j.expires_at, j.attempts, j.max_attempts, j.throttles, j.reason, j.leased_by, j.leased_until,
       j.created_at, j.finished_at
from operator_job j left join operator_account a on a.id = j.account_id
"""
_LIST = f"""{_JOB}
where j.state = any (:states) and (cast(:queue as text) is null or j.queue = :queue)
  and (cast(:before as bigint) is null or j.id < :before)
order by j.id desc
limit :most
"""
_ATTEMPTS = """
select number, lease, started_at, ended_at, outcome, late, coalesce(reason, '') as reason, worker
from operator_attempt
where account_id = (select account_id from operator_job where id = :id) and job_id = :id
order by started_at desc, ended_at desc limit :most
"""
_DEPTHS = "select queue, state, jobs, oldest from operator_queue order by queue, state"

#: Where a job still wants something, of a worker or of a person.
OPEN: tuple[str, ...] = ("ready", "leased", "held", "dead")


@dataclass(frozen=True)
class JobLine:
    """A job as operators see it; `account` is the publication's short name, '' for the platform."""

    id: int
    account_id: int
    account: str
    queue: str
    kind: str
    share: str
    lane: str | None
    state: str
    run_at: datetime
    expires_at: datetime | None
    attempts: int
    max_attempts: int
    throttles: int
    reason: str | None
    leased_by: str | None
    leased_until: datetime | None
    created_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True)
class AttemptLine:
    """One try. `late`: its lease was lost, so its outcome changed nothing."""

    number: int
    lease: int
    started_at: datetime
    ended_at: datetime
    outcome: str
    late: bool
    reason: str
    worker: str


@dataclass(frozen=True)
class Depth:
    """How many jobs of a queue are in a state, and since when the oldest is due."""

    queue: str
    state: str
    jobs: int
    oldest: datetime


async def overdue_work(tx: Tx) -> list[tuple[str, float]]:
    """Queues with due jobs that nobody is at and nothing keeps back, and for how many seconds the oldest."""
    rows: list[Any] = await tx.rows("select queue, seconds from overdue_work()")
    return [(row.queue, row.seconds) for row in rows]


async def operator_jobs(
    tx: Tx,
    *,
    states: Sequence[str] = OPEN,
    queue: str | None = None,
    before: int | None = None,
    most: int = 50,
) -> list[JobLine]:
    """Jobs of everybody, newest first. As an operator."""
    rows: list[Any] = await tx.rows(_LIST, states=list(states), queue=queue, before=before, most=most)
    return [JobLine(*row) for row in rows]


async def operator_job(tx: Tx, job_id: int) -> JobLine | None:
    """One job; None when there is none of that number. As an operator."""
    row: Any = await tx.row(f"{_JOB} where j.id = :id", id=job_id)
    return JobLine(*row) if row else None


async def operator_attempts(tx: Tx, job_id: int, *, most: int = 100) -> list[AttemptLine]:
    """What was tried, newest first. As an operator."""
    rows: list[Any] = await tx.rows(_ATTEMPTS, id=job_id, most=most)
    return [AttemptLine(*row) for row in rows]


async def queue_depths(tx: Tx) -> list[Depth]:
    """What lies in each queue. As an operator."""
    rows: list[Any] = await tx.rows(_DEPTHS)
    return [Depth(*row) for row in rows]
