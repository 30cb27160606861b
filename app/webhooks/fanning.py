"""Fan-out: what was announced gets its number and a delivery to each who hears it, in one commit."""

from collections.abc import Sequence
from typing import Any

from app.base.database import Tx
from app.base.statements import sql
from app.jobs import hold
from app.webhooks.announcing import LANE
from app.webhooks.catalogue import ALL
from app.webhooks.numbering import number
from app.webhooks.orders import Planned, order
from app.webhooks.states import EndpointState
from app.webhooks.switching import PAUSED

#: Deliveries that one commit makes, about.
AT_ONCE = 1000

# Also those that are off: whoever switches one on meanwhile has it hear of these, or is heard here (E2).
_ENDPOINTS = """
select id, events, state, created_at from endpoint
where account_id = :account and deleted_at is null
order by id
for share
"""
_EVENTS = """
select id, type, data, release, created_at from event
where account_id = :account and sequence is null
order by id
limit :most
"""
_JOBS = "select job_id from delivery where account_id = :account and id = any (cast(:ids as uuid[]))"


async def fan_out_some(tx: Tx) -> bool:
    """Number the oldest events that have none, and order their deliveries. Answers whether more may be left.

    The other fan-outs that wait are superseded first: whatever was announced with them is seen from here on.
    """
    own = {"account": tx.account_id, "share": str(tx.account_id), "lane": LANE}
    await tx.execute(sql(__package__, "supersede_fan_outs"), **own)
    there = await tx.rows(_ENDPOINTS, account=tx.account_id)
    active = [one for one in there if one.state == EndpointState.ACTIVE]
    paused = [one for one in there if one.state == EndpointState.PAUSED]
    most = max(1, AT_ONCE // max(1, len(active) + len(paused)))
    events = await tx.rows(_EVENTS, account=tx.account_id, most=most)
    if events:
        await number(tx, events)
        await _order_for(tx, events, active)
        if waiting := await _order_for(tx, events, paused):
            jobs = await tx.rows(_JOBS, account=tx.account_id, ids=waiting)
            await hold(tx, [row.job_id for row in jobs], PAUSED)
    return len(events) == most


async def _order_for(tx: Tx, events: Sequence[Any], endpoints: Sequence[Any]) -> list[Any]:
    return await order(
        tx,
        [
            Planned(event.id, event.type, one.id, event.release)
            for event in events
            for one in endpoints
            if _hears(one, event)
        ],
    )


def _hears(endpoint: Any, event: Any) -> bool:
    """What happened before it was there is not its."""
    return event.created_at >= endpoint.created_at and (
        ALL in endpoint.events or event.type in endpoint.events
    )
