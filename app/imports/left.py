"""Imports whose job gave up, or was given up by an operator: they fail with the reason, beside the queues."""

from uuid import UUID

from app.base.database import Database
from app.imports.runs import end_run
from app.imports.undoing import fail_undo
from app.jobs import given_up

#: Seconds between looks.
EVERY = 30.0


async def fail_left(database: Database) -> set[str]:
    """Nobody waits for what will not go on (E2, E11): an import (webhooks are told), or its undoing."""
    async with database.transaction() as tx:
        left = await given_up(tx, "imports", "import_readers", "undo_import")
    for one in left:
        why = f" ({one.reason})" if one.reason else ""
        import_id = UUID(one.args["import_id"])
        async with database.transaction(one.account_id) as tx:
            if one.kind == "undo_import":
                words = f"Undoing it was given up{why}. What was undone stays so; undo it again for the rest."
                await fail_undo(tx, import_id, words)
            else:
                words = f"It was given up{why}. What came in stays. Import the file again."
                await end_run(tx, import_id, words)
    return {"webhooks"} if left else set()
