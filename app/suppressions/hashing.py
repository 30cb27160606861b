"""Blocks of erased readers: the address goes, its keyed hash stays, and finds the address when it comes back.

A hash is written as `hash:` and hex digits, which no address is: there is no @ in it.
"""

from collections.abc import Sequence

from app.base import tokens
from app.base.addresses import THIS_ADDRESS, written
from app.base.database import Tx

HASHED = "hash:"
_PURPOSE = "suppressed_address"
_FORGET = """
with forgotten as (
    update suppression set address = :hash, detail = regexp_replace(detail, :written, :instead, 'gi')
    where address = :address
), record as (
    update suppression_change set address = :hash, detail = regexp_replace(detail, :written, :instead, 'gi'),
        by_name = case when by_kind = 'reader' then '' else by_name end
    where address = any (cast(:spellings as text[]))
)
select true
"""
_RECALL = """
with given as (
    select * from unnest(cast(:addresses as text[]), cast(:hashes as text[])) as given (address, hash)
), kept as (
    -- blocked under its own name meanwhile: one of the two is enough
    delete from suppression s using given g
    where s.address = g.hash and exists (select from suppression x where x.address = g.address)
), back as (
    update suppression s set address = g.address from given g
    where s.address = g.hash and not exists (select from suppression x where x.address = g.address)
    returning s.address
), record as (
    update suppression_change c set address = g.address from given g where c.address = g.hash
)
select address from back
"""


def spellings(address: str) -> list[str]:
    """What an address may stand as: itself, or its hash under each key."""
    return [address, *(f"{HASHED}{hashed.hex()}" for hashed in tokens.keyed_hashes(_PURPOSE, address))]


def hash_of(address: str) -> str:
    """What stands in place of the address of an erased reader."""
    return f"{HASHED}{tokens.keyed_hash(_PURPOSE, address).hex()}"


async def forget_address(tx: Tx, address: str) -> None:
    """The reader of this canonical address was erased: only a hash of it stays blocked (S6)."""
    await tx.execute(
        _FORGET,
        address=address,
        hash=hash_of(address),
        spellings=spellings(address),
        written=written(address),
        instead=THIS_ADDRESS,
    )


async def recall(tx: Tx, addresses: Sequence[str]) -> set[str]:
    """These canonical addresses come (back) into the account: who of them was blocked is so again.

    Called before anybody is subscribed, not when somebody only asks; answers those known by their hash.
    """
    if not addresses or not await tx.value(
        "select exists (select from suppression where address like 'hash:%')"
    ):
        return set()
    pairs = [(one, hashed) for one in dict.fromkeys(addresses) for hashed in spellings(one)[1:]]
    rows = await tx.rows(_RECALL, addresses=[one for one, _ in pairs], hashes=[hashed for _, hashed in pairs])
    return {row.address for row in rows}
