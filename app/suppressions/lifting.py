"""Lifting a block: by whom it may be, and never without a record (S4, S5)."""

from datetime import datetime

from app.base.database import Tx
from app.base.errors import Conflict, Invalid, Problem
from app.suppressions.blocking import suppression_of
from app.suppressions.hashing import spellings
from app.suppressions.reasons import LIFTED_BY, Lifter, may_unblock

_LIFT = """
with lifted as (
    delete from suppression
    where address = any (cast(:spellings as text[])) and reason = any (cast(:reasons as text[]))
      and (cast(:before as timestamptz) is null or created_at <= :before)
    returning account_id, address, reason
), noted as (
    insert into suppression_change (account_id, address, act, reason, by_kind, by_name, detail)
    select account_id, address, 'lifted', reason,
           cast(:by as text), cast(:name as text), cast(:because as text)
    from lifted
)
select reason from lifted
"""
_ONLY = {
    "complaint": "They reported a mail as spam. Only they themselves can lift that, by subscribing again.",
    "by_hand": "The publication has blocked this address. Only its owner can lift that.",
    "erased": "It was erased on request. Only they themselves can come back, by subscribing again.",
}
LONGEST_REASON = 500


async def unblock(
    tx: Tx, address: str, *, by: Lifter, name: str = "", because: str = "", before: datetime | None = None
) -> bool:
    """Lift the block of a canonical address; `because` is kept on the record, and an owner must give it.

    `before`: only a block that stood then; what came later is newer than what the reader agreed to.
    False when there is none. Raises Conflict when it is not theirs to lift, Invalid naming `because`.
    """
    if by == "owner" and not because.strip():
        raise Invalid([Problem("because", "Say why, such as “she wrote from this address today”.")])
    if len(because) > LONGEST_REASON:
        long = f"This is {len(because):,} characters long; the most is {LONGEST_REASON}."
        raise Invalid([Problem("because", long)])
    reasons = [reason for reason in LIFTED_BY if may_unblock(reason, by)]
    lifted = await tx.value(
        _LIFT,
        spellings=spellings(address),
        reasons=reasons,
        by=by,
        name=name,
        because=because.strip(),
        before=before,
    )
    if lifted is None and (left := await suppression_of(tx, address)) and not may_unblock(left.reason, by):
        raise Conflict(_ONLY[left.reason])
    return lifted is not None
