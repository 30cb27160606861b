"""Orders: the job that carries one delivery, and the row that names it, made together."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from app.base import ids
from app.base.database import Tx
from app.jobs import Order, enqueue_many, job
from app.webhooks.policies import policy_for

_DELIVERIES = """
insert into delivery (account_id, id, event_id, endpoint_id, redelivery, job_id)
select account_id, cast(args ->> 'delivery_id' as uuid), cast(args ->> 'event_id' as bigint),
       cast(args ->> 'endpoint_id' as uuid), cast(args ->> 'redelivery' as integer), id
from job where account_id = :account and id = any (cast(:jobs as bigint[]))
returning id
"""
_NEWEST = """
select e.id, e.type, e.release from event e
join endpoint p on p.account_id = e.account_id and p.id = :endpoint
where e.account_id = :account and e.release is not null and e.type = :type and e.sequence is not null
  and e.created_at >= p.created_at and (e.type = any (p.events) or '*' = any (p.events))
order by e.release desc limit 1
"""
#: The one type of which a newer one makes the older pointless.
RANKED = "release.published"


@job("deliver_webhook", queue="webhooks", on_unknown="ready", abroad=True)
@dataclass(frozen=True)
class DeliverWebhook:
    """Call an endpoint with an event. `redelivery`: 0, or the how-many-th time that a person asked for."""

    delivery_id: UUID
    event_id: int
    endpoint_id: UUID
    redelivery: int = 0


@dataclass(frozen=True)
class Planned:
    """One delivery to make. A release goes in its endpoint's lane, where only the newest goes (E7); again,
    because a person asked, outside it."""

    event_id: int
    type: str
    endpoint_id: UUID
    release: int | None = None
    redelivery: int = 0


async def order(tx: Tx, planned: Sequence[Planned]) -> list[UUID]:
    """Make these deliveries and their jobs, each once (key). Answers the ids of those that are new."""
    made = await enqueue_many(tx, [_job_of(one, ids.new()) for one in planned])
    if not made:
        return []
    return [row.id for row in await tx.rows(_DELIVERIES, account=tx.account_id, jobs=made)]


async def order_newest(tx: Tx, endpoint_id: UUID) -> None:
    """Announce the newest release to an endpoint that was off when it came: what is live now, it hears of."""
    row = await tx.row(_NEWEST, account=tx.account_id, endpoint=endpoint_id, type=RANKED)
    if row is not None:
        await order(tx, [Planned(row.id, row.type, endpoint_id, row.release)])


def share_of(endpoint_id: UUID) -> str:
    """Whose turn a delivery counts as: a slow endpoint slows nobody else (E10)."""
    return f"endpoint:{endpoint_id}"


def _job_of(planned: Planned, delivery_id: UUID) -> Order:
    share = share_of(planned.endpoint_id)
    ranked = planned.type == RANKED and not planned.redelivery
    again = f":{planned.redelivery}" if planned.redelivery else ""
    return Order(
        DeliverWebhook(delivery_id, planned.event_id, planned.endpoint_id, planned.redelivery),
        key=f"{planned.event_id}:{planned.endpoint_id}{again}",
        share=share,
        lane=share if ranked else None,
        rank=planned.release if ranked else None,
        tries=policy_for(planned.type).tries,
    )
