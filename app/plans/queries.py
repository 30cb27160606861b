"""What is asked about plans and who has them."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from app.base.database import Tx
from app.base.errors import NotFound


@dataclass(frozen=True)
class Plan:
    """A plan as the studio sees it. `readers` have it right now; `archived_at` None: it is offered."""

    id: UUID
    slug: str
    name: str
    description: str
    created_at: datetime
    archived_at: datetime | None
    readers: int


@dataclass(frozen=True)
class Entitlement:
    """A reader's access by one source. `live`: it counts right now; `ended_by` is who ended it early."""

    id: UUID
    plan_id: UUID
    plan: str
    source: str
    reason: str
    granted_by: str
    ended_by: str
    starts_at: datetime
    ends_at: datetime | None
    live: bool


@dataclass(frozen=True)
class Given:
    """Whom an entitlement is for, and what of it may be told outside: not why, nor by whom."""

    id: UUID
    reader_id: UUID
    plan_id: UUID
    plan: str
    source: str
    starts_at: datetime
    ends_at: datetime | None
    live: bool


_LIVE = "e.starts_at <= godwit_now() and (e.ends_at is null or e.ends_at > godwit_now())"
_PLANS = f"""
select p.id, p.slug, p.name, p.description, p.created_at, p.archived_at,
       (select count(distinct e.reader_id) from entitlement e
        where e.account_id = p.account_id and e.plan_id = p.id and {_LIVE}) as readers
from plan p where p.account_id = :account
"""
_ENTITLEMENTS = f"""
select e.id, e.plan_id, p.name as plan, e.source, e.reason, e.granted_by_name as granted_by,
       e.ended_by_name as ended_by, e.starts_at, e.ends_at, ({_LIVE}) as live
from entitlement e join plan p on p.account_id = e.account_id and p.id = e.plan_id
where e.account_id = :account and e.reader_id = :reader
order by live desc, e.starts_at desc, e.id desc
"""

_GIVEN = f"""
select e.id, e.reader_id, e.plan_id, p.name as plan, e.source, e.starts_at, e.ends_at, ({_LIVE}) as live
from entitlement e join plan p on p.account_id = e.account_id and p.id = e.plan_id
where e.account_id = :account and e.id = :id
"""


async def plans(tx: Tx, *, archived: bool = False) -> list[Plan]:
    """The plans on offer in their order; with `archived` those that are not, too, last."""
    kept = "" if archived else "and p.archived_at is null"
    order = "order by p.archived_at is not null, p.position, p.created_at, p.id"
    return [Plan(*row) for row in await tx.rows(f"{_PLANS} {kept} {order}", account=tx.account_id)]


async def plan(tx: Tx, plan_id: UUID) -> Plan:
    """One plan, archived or not. Raises NotFound."""
    row = await tx.row(f"{_PLANS} and p.id = :plan", account=tx.account_id, plan=plan_id)
    if row is None:
        raise NotFound("There is no such plan.")
    return Plan(*row)


async def entitlements_of(tx: Tx, reader_id: UUID) -> list[Entitlement]:
    """All of a reader's, those that count first, then the newest."""
    rows = await tx.rows(_ENTITLEMENTS, account=tx.account_id, reader=reader_id)
    return [Entitlement(*row) for row in rows]


async def given(tx: Tx, entitlement_id: UUID) -> Given | None:
    """One entitlement by its id."""
    row = await tx.row(_GIVEN, account=tx.account_id, id=entitlement_id)
    return Given(*row) if row else None
