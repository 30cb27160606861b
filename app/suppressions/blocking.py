"""Blocking an address, and asking whether it is."""

from collections.abc import Sequence

from app.base.database import Tx
from app.suppressions.reasons import Reason, Suppression

_BLOCK = """
insert into suppression (account_id, address, reason, detail)
select cast(:account as bigint), address, cast(:reason as text), cast(:detail as text)
from unnest(cast(:addresses as text[])) as blocked (address)
order by address
on conflict do nothing
returning address
"""
_ONE = "select address, reason, detail, created_at from suppression where address = :address"


async def suppress(tx: Tx, address: str, reason: Reason, detail: str = "") -> bool:
    """Block a canonical address. False when it was blocked before: the first reason stays (S2)."""
    return bool(await suppress_many(tx, [address], reason, detail))


async def suppress_many(tx: Tx, addresses: Sequence[str], reason: Reason, detail: str = "") -> set[str]:
    """Block many in one statement; answers those that were not blocked before."""
    if not addresses:
        return set()
    rows = await tx.rows(
        _BLOCK, account=tx.account_id, addresses=list(addresses), reason=reason, detail=detail
    )
    return {row.address for row in rows}


async def suppression_of(tx: Tx, address: str) -> Suppression | None:
    """Why this canonical address is blocked, or None when it is not."""
    row = await tx.row(_ONE, address=address)
    return Suppression(*row) if row else None
