"""Giving access and ending it; webhooks are told. An entitlement has one source and, at most, one end."""

from datetime import datetime
from uuid import UUID

from app.base import clock, ids
from app.base.database import Tx
from app.base.errors import Conflict, Invalid, NotFound, Problem
from app.base.fields import one_line
from app.plans.announcing import tell_access

SOURCES = ("stripe", "comp", "gift", "import")
MOST_REASON = 500
_LOCK = "select 1 from reader where account_id = :account and id = :reader for update"
_BY_REFERENCE = """
select id from entitlement where account_id = :account and reader_id = :reader and plan_id = :plan
  and source = :source and reference = :reference
"""
_LIVE_BY_HAND = """
select p.name as plan, e.ends_at from entitlement e
join plan p on p.account_id = e.account_id and p.id = e.plan_id
where e.account_id = :account and e.reader_id = :reader and e.plan_id = :plan
  and e.source = :source and e.reference = '' and (e.ends_at is null or e.ends_at > godwit_now())
limit 1
"""
_GRANT = """
insert into entitlement (account_id, id, reader_id, plan_id, source, reference, reason, granted_by_name,
                         starts_at, ends_at)
values (:account, :id, :reader, :plan, :source, :reference, :reason, :by,
        coalesce(cast(:starts_at as timestamptz), godwit_now()), :ends_at)
"""
_END = """
update entitlement set ends_at = greatest(starts_at, godwit_now()), ended_by_name = :by
where account_id = :account and id = :id and reader_id = :reader
  and (ends_at is null or ends_at > godwit_now())
"""


async def grant(
    tx: Tx,
    reader_id: UUID,
    plan_id: UUID,
    *,
    source: str,
    reference: str = "",
    reason: str = "",
    by: str = "",
    starts_at: datetime | None = None,
    ends_at: datetime | None = None,
) -> UUID:
    """Give a reader a plan from now (or `starts_at`) until `ends_at` (None: no end); answers the entitlement.

    With a `reference` (what the source calls it) the same again answers the first one, as it is by now.
    Without, a plan given by this source already is a Conflict. `by` is a name. Raises Invalid, NotFound.
    """
    if not await tx.value(_LOCK, account=tx.account_id, reader=reader_id):
        raise NotFound("There is no such reader. Perhaps they were erased.")
    named = {"account": tx.account_id, "reader": reader_id, "plan": plan_id, "source": source}
    if reference and (known := await tx.value(_BY_REFERENCE, **named, reference=reference)):
        return known
    if not reference and (there := await tx.row(_LIVE_BY_HAND, **named)):
        raise Conflict(_has_it(there.plan, there.ends_at))
    made = ids.new()
    await tx.execute(
        _GRANT,
        **named,
        id=made,
        reference=reference,
        reason=_checked(source, reason, starts_at, ends_at),
        by=by,
        starts_at=starts_at,
        ends_at=ends_at,
    )
    if source != "import":
        await tell_access(tx, "started", made)
    return made


async def end_entitlement(tx: Tx, reader_id: UUID, entitlement_id: UUID, by: str) -> bool:
    """End a reader's access by this entitlement now; False when it is over already or not there."""
    if not await tx.execute(_END, account=tx.account_id, id=entitlement_id, reader=reader_id, by=by):
        return False
    await tell_access(tx, "ended", entitlement_id)
    return True


def _checked(source: str, reason: str, starts_at: datetime | None, ends_at: datetime | None) -> str:
    """The reason as it is kept. Raises Invalid with everything that is wrong."""
    kept, problems = one_line(reason), []
    if source == "comp" and not kept:
        problems.append(Problem("reason", "Say why they get it, such as “my editor” or “won the raffle”."))
    if len(kept) > MOST_REASON:
        problems.append(Problem("reason", f"The reason may have at most {MOST_REASON} characters."))
    if ends_at is not None and ends_at <= (starts_at or clock.now()) and not starts_at:
        problems.append(Problem("ends", "The end is past already. Choose a later day, or none."))
    elif ends_at is not None and starts_at is not None and ends_at < starts_at:
        problems.append(Problem("ends", "The end is before the start."))
    if problems:
        raise Invalid(problems)
    return kept


def _has_it(plan: str, ends_at: datetime | None) -> str:
    until = f"until {ends_at.day} {ends_at:%B %Y}" if ends_at else "without an end"
    return f"They have {plan} already, {until}. End that first if it is to change."
