"""What a delivery was about, and why one that was skipped never arrived: read for pages, beside its state."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from app.base.database import Tx
from app.webhooks.orders import share_of

# Of each thing its title, or whose it is, as the API represents it.
_ABOUT = """
select d.id, coalesce(
    e.data #>> '{post,title}', e.data #>> '{broadcast,title}', e.data #>> '{reader,email}',
    e.data #>> '{subscription,plan_name}', e.data #>> '{import,file_name}') as about
from delivery d join event e on e.account_id = d.account_id and e.id = d.event_id
where d.account_id = :account and d.id = any (cast(:ids as uuid[]))
"""
_LAST_ERRORS = """
select distinct on (d.id) d.id, coalesce(a.detail ->> 'error', a.detail ->> 'reason') as error
from delivery d join attempt a on a.account_id = d.account_id and a.job_id = d.job_id
where d.account_id = :account and d.id = any (cast(:ids as uuid[]))
  and a.outcome in ('retry', 'throttled', 'lost', 'unknown', 'refused')
order by d.id, a.started_at desc
"""
_GIVEN_UP = """
select max(finished_at) from (
    select j.finished_at from job j
    where j.account_id = :account and j.queue = 'webhooks' and j.share = :share and j.state = 'dead'
    order by j.id desc limit 50) as newest
"""
_WAITING_COPIES = """
select distinct d.id
from delivery d
join delivery n on n.account_id = d.account_id and n.event_id = d.event_id and n.endpoint_id = d.endpoint_id
join job j on j.account_id = n.account_id and j.id = n.job_id
join endpoint p on p.account_id = d.account_id and p.id = d.endpoint_id
where d.account_id = :account and d.id = any (cast(:ids as uuid[])) and p.state <> 'active'
  and j.state in ('ready', 'held')
"""


@dataclass(frozen=True)
class Copies:
    """Of deliveries that somebody wants made again: those whose event waits already, and the others."""

    waiting: tuple[UUID, ...]
    others: tuple[UUID, ...]


async def abouts(tx: Tx, deliveries: Sequence[UUID]) -> Mapping[UUID, str]:
    """What each was about: a title, an address, a plan. Nothing of those whose type says it all."""
    rows: list[Any] = await tx.rows(_ABOUT, account=tx.account_id, ids=list(deliveries))
    return {row.id: row.about for row in rows if row.about}


async def last_errors(tx: Tx, deliveries: Sequence[UUID]) -> Mapping[UUID, str]:
    """Why the last try of each failed."""
    if not deliveries:
        return {}
    rows: list[Any] = await tx.rows(_LAST_ERRORS, account=tx.account_id, ids=list(deliveries))
    return {row.id: row.error for row in rows if row.error}


async def given_up_at(tx: Tx, endpoint_id: UUID) -> datetime | None:
    """When a delivery to an endpoint was given up last, of the newest; None: none of them was."""
    return await tx.value(_GIVEN_UP, account=tx.account_id, share=share_of(endpoint_id))


async def copies(tx: Tx, deliveries: Sequence[UUID]) -> Copies:
    """Which of these need not be made again, as one of the same event is held for the same endpoint."""
    rows: list[Any] = await tx.rows(_WAITING_COPIES, account=tx.account_id, ids=list(deliveries))
    held = {row.id for row in rows}
    return Copies(
        tuple(one for one in deliveries if one in held), tuple(one for one in deliveries if one not in held)
    )
