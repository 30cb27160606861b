"""Token buckets."""

from app.base.database import Tx
from app.base.statements import sql


async def allow(tx: Tx, name: str, rate_per_second: float, burst: float, *, cost: float = 1) -> float:
    """Take `cost` tokens (at most `burst`) from the bucket `name`; 0 when there were, else seconds until."""
    return float(
        await tx.value(sql(__package__, "allow"), name=name, rate=rate_per_second, burst=burst, cost=cost)
    )


async def reserve(
    tx: Tx, name: str, rate_per_second: float, burst: float, *, cost: float, patience: float
) -> float | None:
    """Take `cost` tokens now or in advance; answers the seconds until they are there.

    Who reserves first is served first. None, and nothing taken, when that is more than `patience` seconds.
    """
    wait = await tx.value(
        sql(__package__, "reserve"),
        name=name,
        rate=rate_per_second,
        burst=burst,
        cost=cost,
        patience=patience,
    )
    return None if wait is None else float(wait)
