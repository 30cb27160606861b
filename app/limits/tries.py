"""A fixed number of tries until a time: what stands between a six-digit code and patience."""

from app.base.database import Tx

_GRANT = """
insert into limit_bucket (name, tokens, filled_at) values (:name, :tries, godwit_now())
on conflict (name) do update set tokens = excluded.tokens, filled_at = excluded.filled_at
"""
_TAKE = """
update limit_bucket set tokens = tokens - 1
where name = :name and tokens >= 1 and filled_at > godwit_now() - make_interval(secs => :within)
returning tokens
"""


async def grant_tries(tx: Tx, name: str, tries: int) -> None:
    """Begin anew with so many tries from now on."""
    await tx.execute(_GRANT, name=name, tries=tries)


async def take_try(tx: Tx, name: str, within: float) -> int | None:
    """Use up one try granted at most `within` seconds ago; how many are left, or None when there was none."""
    left = await tx.value(_TAKE, name=name, within=within)
    return None if left is None else int(left)
