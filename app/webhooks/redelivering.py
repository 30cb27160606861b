"""What a person asks for: the same event again (same id and bytes), one, many or a range; and a test."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from app.base.database import Tx
from app.base.errors import Conflict
from app.webhooks.announcing import new_webhook_id
from app.webhooks.catalogue import TEST
from app.webhooks.numbering import number
from app.webhooks.orders import Planned, order
from app.webhooks.queries import no_such_delivery
from app.webhooks.roster import Endpoint, alone, endpoint
from app.webhooks.states import EndpointState

#: Deliveries that one press may make.
MOST_AT_ONCE = 5000

# Whoever counts the redeliveries of an endpoint's events does so alone.
_ALONE = """
select from endpoint p
where p.account_id = :account and p.id in (
    select endpoint_id from delivery where account_id = :account and id = any (cast(:ids as uuid[])))
order by p.id
for no key update
"""
_AGAIN = """
select distinct on (e.id, d.endpoint_id)
       e.id, e.type, e.release, d.endpoint_id, p.state, p.deleted_at is null as stands,
       1 + (select max(n.redelivery) from delivery n where n.account_id = d.account_id
            and n.event_id = d.event_id and n.endpoint_id = d.endpoint_id) as n
from delivery d
join event e on e.account_id = d.account_id and e.id = d.event_id
join endpoint p on p.account_id = d.account_id and p.id = d.endpoint_id
where d.account_id = :account and d.id = any (cast(:ids as uuid[]))
order by e.id, d.endpoint_id
"""
_IN_RANGE = """
from event e join endpoint p on p.account_id = e.account_id and p.id = :endpoint
where e.account_id = :account and e.sequence is not null and e.type <> 'endpoint.test'
  and e.created_at >= p.created_at
  and (e.type = any (p.events) or '*' = any (p.events))
  and (cast(:since as timestamptz) is null or e.created_at >= :since)
  and (cast(:until as timestamptz) is null or e.created_at < :until)
"""
_RANGE = f"""
select e.id, e.type, e.release, 1 + coalesce((
    select max(n.redelivery) from delivery n
    where n.account_id = e.account_id and n.event_id = e.id and n.endpoint_id = p.id), 0) as n
{_IN_RANGE}
order by e.sequence
"""
_TEST = """
insert into event (account_id, webhook_id, type, data)
values (:account, :webhook_id, :type, cast(:data as jsonb))
returning id, type, data, created_at
"""


@dataclass(frozen=True)
class Range:
    """Events of an endpoint by when they happened: `since` up to, not with, `until`; None: no bound."""

    since: datetime | None = None
    until: datetime | None = None


async def redeliver(tx: Tx, delivery_ids: Sequence[UUID]) -> list[UUID]:
    """Deliver the events of these once more, outside their lanes; answers the new deliveries.

    Raises NotFound when none of them is of this account, Conflict when an endpoint is off or deleted.
    """
    chosen = {"account": tx.account_id, "ids": list(delivery_ids)}
    await tx.rows(_ALONE, **chosen)
    rows: list[Any] = await tx.rows(_AGAIN, **chosen)
    if not rows:
        raise no_such_delivery()
    for row in rows:
        if not row.stands:
            raise Conflict("The webhook of this delivery was deleted: there is nowhere to deliver it to.")
        _refuse_off(row.state)
    return await order(tx, [Planned(row.id, row.type, row.endpoint_id, row.release, row.n) for row in rows])


async def range_size(tx: Tx, endpoint_id: UUID, wanted: Range) -> int:
    """How many events of a range the endpoint would be called with, also those it was never called with."""
    return await tx.value(f"select count(*) {_IN_RANGE}", **_bounds(tx, endpoint_id, wanted))


async def redeliver_range(tx: Tx, endpoint_id: UUID, wanted: Range) -> int:
    """Deliver the events of a range once more, oldest first, also those that nothing was queued of while the
    endpoint was off. Answers how many. Raises NotFound, Conflict."""
    _refuse_off((await alone(tx, endpoint_id)).state)
    if (size := await range_size(tx, endpoint_id, wanted)) > MOST_AT_ONCE:
        raise Conflict(f"There are {size:,} events in it; at most {MOST_AT_ONCE:,} go at once. Choose less.")
    rows: list[Any] = await tx.rows(_RANGE, **_bounds(tx, endpoint_id, wanted))
    return len(await order(tx, [Planned(row.id, row.type, endpoint_id, row.release, row.n) for row in rows]))


async def send_test(tx: Tx, endpoint_id: UUID) -> UUID:
    """Call the endpoint with a test event; answers the delivery. Raises NotFound, Conflict."""
    told = await endpoint(tx, endpoint_id)
    _refuse_off(told.state)
    if told.state != EndpointState.ACTIVE:
        raise Conflict("This webhook is paused. Resume it, then send the test.")
    event: Any = await tx.row(
        _TEST, account=tx.account_id, webhook_id=new_webhook_id(), type=TEST.type, data=_data(told)
    )
    await number(tx, [event])
    return (await order(tx, [Planned(event.id, TEST.type, endpoint_id)]))[0]


def _data(told: Endpoint) -> dict[str, Any]:
    return {
        "endpoint": {
            "id": told.id,
            "url": told.url,
            "events": told.events,
            "description": told.description,
        }
    }


def _bounds(tx: Tx, endpoint_id: UUID, wanted: Range) -> dict[str, object]:
    return {
        "account": tx.account_id,
        "endpoint": endpoint_id,
        "since": wanted.since,
        "until": wanted.until,
    }


def _refuse_off(state: str) -> None:
    if state == EndpointState.DISABLED:
        raise Conflict("This webhook is switched off. Switch it on again first.")
