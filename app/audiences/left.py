"""Acts whose job gave up, or was given up by an operator: they fail with the reason, beside the queues."""

from uuid import UUID

from app.audiences.doing import fail_act
from app.base.database import Database
from app.jobs import given_up

#: Seconds between looks.
EVERY = 30.0


async def fail_left(database: Database) -> set[str]:
    """Nobody waits for what will not go on (E2, E11). What was done stays done. No queue got work."""
    async with database.transaction() as tx:
        left = await given_up(tx, "imports", "act_on_readers")
    for one in left:
        why = f" ({one.reason})" if one.reason else ""
        async with database.transaction(one.account_id) as tx:
            words = f"It was given up{why}. What was done stays done; order the rest anew."
            await fail_act(tx, UUID(one.args["act_id"]), words)
    return set()
