"""Buckets that nobody took from for long are full, or their tries are over: a new one is the same."""

from app.base.database import Tx

#: The slowest fills in a day; who sends less often than that loses nothing by a full bucket.
IDLE_DAYS = 7

_FORGET = """
delete from limit_bucket where name = any (array(
    select name from limit_bucket where filled_at < clock_timestamp() - make_interval(days => :days)
    limit :most
    for update skip locked))
"""


async def forget_idle(tx: Tx, most: int) -> int:
    """Forget at most so many; answers how many it were."""
    return await tx.execute(_FORGET, days=IDLE_DAYS, most=most)
