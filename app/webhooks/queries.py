"""What is asked about deliveries. Their state is that of their job (view delivery_state)."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from app.base.database import Tx
from app.base.errors import NotFound

#: Days an event is kept, with its deliveries, and an endpoint once it is deleted.
KEPT_DAYS = 30
#: Hours that the picture of an endpoint's health shows.
HEALTH_HOURS = 24

#: What is read of each delivery.
LINE = """
select s.id, s.webhook_id, s.type, s.sequence, s.release, s.endpoint_id, s.url, s.state, s.reason, s.attempts,
       s.next_at, s.created_at, s.delivered_at, s.redelivery, s.superseded_by
from delivery_state s
"""
_OF_RELEASE = f"""{LINE}
where s.account_id = :account and s.event_id in (
    select id from event where account_id = :account and release = :release)
order by s.url, s.endpoint_id, s.redelivery
"""
_ONE = f"{LINE} where s.account_id = :account and s.id = :id"
_BODY = """
select e.body, d.job_id from delivery d join event e on e.account_id = d.account_id and e.id = d.event_id
where d.account_id = :account and d.id = :id
"""
_ATTEMPTS = """
select number, started_at, ended_at, outcome, late, detail
from attempt where account_id = :account and job_id = :job order by started_at, lease limit :most
"""
_UNTOLD = """
select exists (select from event where account_id = :account and release = :release and sequence is null)
"""
_HEALTH = """
with hours as (
    select at from generate_series(date_trunc('hour', godwit_now()) - make_interval(hours => :hours - 1),
                                   date_trunc('hour', godwit_now()), interval '1 hour') as at
), tried as (
    select date_trunc('hour', a.started_at + (godwit_now() - clock_timestamp())) as at,
           a.outcome = 'done' as good
    from delivery d join attempt a on a.account_id = d.account_id and a.job_id = d.job_id
    where d.account_id = :account and d.endpoint_id = :endpoint
      and a.started_at > clock_timestamp() - make_interval(hours => :hours)
      and a.outcome in ('done', 'retry', 'refused', 'throttled', 'lost', 'unknown')
)
select h.at, count(*) filter (where t.good) as delivered, count(*) filter (where not t.good) as failed
from hours h left join tried t on t.at = h.at
group by h.at order by h.at
"""


@dataclass(frozen=True)
class DeliveryLine:
    """One event on its way to one endpoint. `event` is what the receiver knows it by; `sequence` its number.

    `redelivery`: 0 for the first, 1 and up for those that a person asked for. `superseded_by`: the release
    that goes instead.
    """

    id: UUID
    event: str
    type: str
    sequence: int
    release: int | None
    endpoint: UUID
    url: str
    state: str
    reason: str | None
    attempts: int
    next_at: datetime | None
    created_at: datetime
    delivered_at: datetime | None
    redelivery: int
    superseded_by: int | None

    @property
    def out(self) -> bool:
        """Whether it is being called now: a worker has it in hand."""
        return self.state in ("pending", "retrying") and self.next_at is None


@dataclass(frozen=True)
class Attempt:
    """One try. `late`: its result came when somebody else had the delivery, and changed nothing.

    `request_headers`: what was sent; None: nothing was, or nobody knows.
    """

    number: int
    started_at: datetime
    duration_ms: int
    outcome: str
    late: bool
    status: int | None
    error: str | None
    answer: str | None
    request_headers: Mapping[str, str] | None

    @property
    def unsent(self) -> bool:
        """Whether it is known that not a byte left: nobody was reached, or might be called, or in time."""
        return self.request_headers is None and self.outcome in ("retry", "refused", "throttled")


@dataclass(frozen=True)
class WholeDelivery:
    """A delivery with its tries, oldest first, and the bytes that each of them sends."""

    line: DeliveryLine
    attempts: tuple[Attempt, ...]
    body: bytes


@dataclass(frozen=True)
class Bucket:
    """An hour: how many tries were content, and how many were not."""

    at: datetime
    delivered: int
    failed: int


async def deliveries_of_release(tx: Tx, release: int) -> list[DeliveryLine]:
    """Where the announcement of a release stands, by endpoint, redeliveries after what they repeat."""
    rows: list[Any] = await tx.rows(_OF_RELEASE, account=tx.account_id, release=release)
    return [DeliveryLine(*row) for row in rows]


async def untold(tx: Tx, release: int) -> bool:
    """Whether the release is announced and its deliveries are still to be made."""
    return bool(await tx.value(_UNTOLD, account=tx.account_id, release=release))


async def delivery(tx: Tx, delivery_id: UUID) -> WholeDelivery:
    """One delivery with its attempts. Raises NotFound."""
    row: Any = await tx.row(_ONE, account=tx.account_id, id=delivery_id)
    if row is None:
        raise no_such_delivery()
    held: Any = await tx.row(_BODY, account=tx.account_id, id=delivery_id)
    tried = await tx.rows(_ATTEMPTS, account=tx.account_id, job=held.job_id, most=200)
    return WholeDelivery(DeliveryLine(*row), tuple(_attempt(one) for one in tried), bytes(held.body))


async def health(tx: Tx, endpoint_id: UUID) -> tuple[Bucket, ...]:
    """The tries of the last 24 hours, hour by hour, oldest first."""
    rows: list[Any] = await tx.rows(_HEALTH, account=tx.account_id, endpoint=endpoint_id, hours=HEALTH_HOURS)
    return tuple(Bucket(*row) for row in rows)


def no_such_delivery() -> NotFound:
    """There is none of that id in this account, or none any more."""
    return NotFound(f"There is no such delivery. They are kept for {KEPT_DAYS} days.")


def _attempt(row: Any) -> Attempt:
    told = row.detail
    took = round((row.ended_at - row.started_at).total_seconds() * 1000)
    return Attempt(
        number=row.number,
        started_at=row.started_at,
        duration_ms=told.get("duration_ms", took),
        outcome=row.outcome,
        late=row.late,
        status=told.get("status"),
        error=told.get("error") or (None if row.outcome == "done" else told.get("reason")),
        answer=told.get("answer"),
        request_headers=told.get("request_headers"),
    )
