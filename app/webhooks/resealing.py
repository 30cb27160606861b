"""Secrets under an old key of the installation: counted, and sealed again under the newest."""

from dataclasses import dataclass

from app.base.database import Tx
from app.base.seal import Unsealable, current_key_id, known_key_ids, seal
from app.webhooks.holding import let_go_what_opens
from app.webhooks.secrets import PURPOSE, bound_to, opened

_COUNTS = """
select encode(substring(sealed from 2 for 8), 'hex') as key, count(*) as n
from endpoint_secret where account_id = :account group by 1
"""
_OLD = """
select id, endpoint_id, sealed from endpoint_secret
where account_id = :account and encode(substring(sealed from 2 for 8), 'hex') = any (cast(:old as text[]))
order by id for update
"""
_AGAIN = "update endpoint_secret set sealed = :sealed where account_id = :account and id = :id"


@dataclass(frozen=True)
class Resealed:
    """What sealing again came to. `spoilt` did not open although their key is here: they were changed."""

    done: int
    spoilt: int


async def sealed_under(tx: Tx) -> dict[str, int]:
    """How many of the account's secrets lie under which key, by its id (`seal.key_id_of`)."""
    return {row.key: row.n for row in await tx.rows(_COUNTS, account=tx.account_id)}


async def reseal(tx: Tx) -> Resealed:
    """Seal under the newest key what lies under another that is here; receivers notice nothing. What waited
    for a key goes."""
    assert tx.account_id is not None
    old = [one for one in known_key_ids() if one != current_key_id()]
    done = spoilt = 0
    for row in await tx.rows(_OLD, account=tx.account_id, old=old):
        try:
            key = opened(tx.account_id, row.endpoint_id, row.id, bytes(row.sealed))
        except Unsealable:
            spoilt += 1
            continue
        sealed = seal(PURPOSE, key, bound_to=bound_to(tx.account_id, row.endpoint_id, row.id))
        await tx.execute(_AGAIN, account=tx.account_id, id=row.id, sealed=sealed)
        done += 1
    await let_go_what_opens(tx)
    return Resealed(done, spoilt)
