"""How many copies wait to be handed over: what a switch holds, while it does."""

from app.base.database import Tx

_WAITING = """
select coalesce(sum(t.n), 0)::bigint
from mailing m join tally t on t.account_id = m.account_id and t.mailing_id = m.id
where m.account_id = :account and m.state in ('building', 'sending') and t.state = 'planned'
"""


async def waiting_sends(tx: Tx) -> int:
    """The planned copies of the account's open mailings; those of paused ones wait for something else."""
    return await tx.value(_WAITING, account=tx.account_id)
