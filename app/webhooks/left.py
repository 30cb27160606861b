"""Events whose fan-out is gone, because it gave up or an operator gave it up: they get another one."""

from app.base.database import Database
from app.jobs import enqueue
from app.webhooks.announcing import LANE, FanOut

#: Seconds between looks, and the age (s) of an event that is looked for.
EVERY = 30.0

_UNHEARD = "select accounts_unheard(:seconds) as account_id"


async def fan_out_left(database: Database) -> set[str]:
    """What was announced is heard without waiting for the account's next event (W1, E2)."""
    async with database.transaction() as tx:
        left = [row.account_id for row in await tx.rows(_UNHEARD, seconds=EVERY)]
        for account in left:
            await tx.enter_account(account)
            await enqueue(tx, FanOut(), lane=LANE)
    return {"webhooks"} if left else set()
