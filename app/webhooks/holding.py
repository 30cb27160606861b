"""What is held though its webhook is on: because its secret could not be opened, or nobody knew what became
of it. Told, counted, and let go."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from app.base.database import Database, Tx
from app.base.seal import Unsealable
from app.webhooks.roster import followed
from app.webhooks.secrets import SHUT, live_secrets

_WAITING = """
select p.id, coalesce(nullif(p.description, ''), substring(p.url from '//([^/?#]*)')) as name,
       held.n, held.reason
from endpoint p
cross join lateral (
    select count(*) as n, min(j.reason) filter (where starts_with(j.reason, :shut)) as reason from job j
    where j.account_id = p.account_id and j.queue = 'webhooks' and j.share = 'endpoint:' || p.id
      and j.state = 'held') as held
where p.account_id = :account and p.deleted_at is null and p.state = 'active' and held.n > 0
order by p.created_at, p.id
"""
_ACCOUNTS = """
select distinct account_id from job
where queue = 'webhooks' and state = 'held' and starts_with(reason, :shut)
order by account_id
"""


@dataclass(frozen=True)
class Waiting:
    """A webhook that is on, and has `count` deliveries that wait. `shut`: its secret could not be opened."""

    id: UUID
    name: str
    count: int
    shut: bool


async def waiting(tx: Tx) -> list[Waiting]:
    """The account's webhooks for which something is held though they are on."""
    rows: list[Any] = await tx.rows(_WAITING, account=tx.account_id, shut=SHUT)
    return [Waiting(row.id, row.name, row.n, row.reason is not None) for row in rows]


async def let_go_what_opens(tx: Tx) -> int:
    """Have what waits for a secret go where each that signs can be opened here; answers how many webhooks."""
    gone = 0
    for one in await waiting(tx):
        if one.shut and await _opens(tx, one.id):
            await followed(tx, one.id)
            gone += 1
    return gone


async def let_go_everywhere(database: Database) -> None:
    """The same in each account. As the worker: it alone sees the jobs of all."""
    async with database.transaction() as tx:
        accounts = [row.account_id for row in await tx.rows(_ACCOUNTS, shut=SHUT)]
    for account in accounts:
        async with database.transaction(account) as tx:
            await let_go_what_opens(tx)


async def _opens(tx: Tx, endpoint_id: UUID) -> bool:
    try:
        return bool(await live_secrets(tx, endpoint_id))
    except Unsealable:
        return False
