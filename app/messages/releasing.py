"""What waits for a provider that refuses us goes as soon as it is let in, not when its wait would be over."""

from app import mail
from app.base.database import Database
from app.messages.meaning import REFUSES_US

#: In a commit of its own, after the one that knows us let in: a crash in between leaves each to its own wait.
_DUE = """
update job set run_at = godwit_now()
where queue = 'messages' and state = 'ready' and run_at > godwit_now() and starts_with(reason, :words)
"""


async def probe_refusing(database: Database) -> set[str]:
    """Ask a provider that refuses us, if it is time. Answers the queues whose work may go on."""
    queues = await mail.probe_refusing(database)
    if queues:
        async with database.transaction() as tx:
            await tx.execute(_DUE, words=REFUSES_US)
    return queues
