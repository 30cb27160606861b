"""Blocking an address, and asking whether it is. Each block is on the record in the same statement (S5)."""

from collections.abc import Sequence

from app.base.addresses import without
from app.base.database import Tx
from app.suppressions.hashing import HASHED, hash_of, recall, spellings
from app.suppressions.reasons import BlockChange, Reason, Suppression

_BLOCK = """
with blocked as (
    insert into suppression (account_id, address, reason, detail)
    select cast(:account as bigint), address, cast(:reason as text), cast(:detail as text)
    from unnest(cast(:addresses as text[])) as blocked (address)
    order by address
    on conflict do nothing
    returning account_id, address, reason, detail
), noted as (
    insert into suppression_change (account_id, address, act, reason, by_kind, by_name, detail)
    select account_id, address, 'blocked', reason,
           case when :by = '' then 'system' else 'owner' end, :by, detail
    from blocked order by address
)
select address from blocked
"""
_ONE = """
select :address as address, reason, detail, created_at from suppression
where address = any (cast(:spellings as text[])) order by created_at limit 1
"""
_HISTORY = """
select act, reason, by_kind, by_name, detail, at from suppression_change
where address = any (cast(:spellings as text[])) order by id
"""


async def suppress(tx: Tx, address: str, reason: Reason, detail: str = "", *, by: str = "") -> bool:
    """Block a canonical address; `by` names the team member who does it by hand.

    False when it was blocked before: the first reason stays (S2).
    """
    return bool(await suppress_many(tx, [address], reason, detail, by=by))


async def suppress_many(
    tx: Tx, addresses: Sequence[str], reason: Reason, detail: str = "", *, by: str = ""
) -> set[str]:
    """Block many in one statement; answers those that were not blocked before."""
    if not addresses:
        return set()
    await recall(tx, addresses)
    rows = await tx.rows(
        _BLOCK, account=tx.account_id, addresses=list(addresses), reason=reason, detail=detail, by=by
    )
    return {row.address for row in rows}


async def suppress_erased(tx: Tx, address: str, reason: Reason, detail: str = "", *, by: str = "") -> bool:
    """The same for whose reader was erased and has not come back: only the hash of the address is kept (S6).

    `address` may be that hash already.
    """
    hashed = address.startswith(HASHED)
    if await suppression_of(tx, address):
        return False
    row = await tx.row(
        _BLOCK,
        account=tx.account_id,
        addresses=[address if hashed else hash_of(address)],
        reason=reason,
        detail=without(detail, address),
        by=by,
    )
    return row is not None


async def suppression_of(tx: Tx, address: str) -> Suppression | None:
    """Why this canonical address is blocked, or None when it is not; also when its reader was erased."""
    row = await tx.row(_ONE, address=address, spellings=spellings(address))
    return Suppression(*row) if row else None


async def block_history(tx: Tx, address: str) -> list[BlockChange]:
    """Every block and lift of a canonical address, oldest first."""
    return [BlockChange(*row) for row in await tx.rows(_HISTORY, spellings=spellings(address))]
