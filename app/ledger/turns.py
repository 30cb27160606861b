"""A permit's turn in the rates: when it may call."""

from app.base.database import Tx
from app.base.settings import settings
from app.jobs import Work
from app.limits import reserve

#: The longest a permit waits for the rate, in seconds: as much leave as may be out, and a little.
PATIENCE = 3.0
_ACCOUNT_RATE = "select send_rate from account where id = :account"


class _TooLong(Exception):
    """Undoes what one bucket gave when another is empty for longer than anybody waits."""


async def reserve_turn(work: Work, n: int) -> float | None:
    """Take this permit's place in the account's rate and the platform's; the seconds until it may call.

    First come, first served, so that many permits of one account are no better off than few of another (L9).
    None when it would wait longer than `PATIENCE`: then neither bucket gave anything.
    """
    wait = 0.0
    try:
        async with work.transaction() as tx:
            for name, rate in await _rates(tx):
                burst = max(rate, settings().sending.batch)
                turn = await reserve(tx, name, rate, burst, cost=n, patience=PATIENCE)
                if turn is None:
                    raise _TooLong
                wait = max(wait, turn)
    except _TooLong:
        return None
    return wait


async def _rates(tx: Tx) -> list[tuple[str, float]]:
    """The buckets to take from: name, copies a second."""
    found: list[tuple[str, float]] = []
    own = await tx.value(_ACCOUNT_RATE, account=tx.account_id)
    if own is not None:
        found.append((f"sends:account:{tx.account_id}", own))
    if settings().sending.rate:
        found.append((f"sends:{settings().mail.provider}", settings().sending.rate))
    return found
