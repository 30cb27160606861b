"""The broadcast's job: building its audience."""

from dataclasses import dataclass
from uuid import UUID

from app.audiences import select_readers
from app.jobs import Continue, Done, Outcome, Refused, Work, handles, job
from app.ledger import record_chunk

_ONE = """
select mailing_id, newsletter_id, pressed_at from broadcast where account_id = :account and id = :broadcast
"""


@job("build_broadcast", queue="build", tries=20)
@dataclass(frozen=True)
class BuildBroadcast:
    """Record the audience of a broadcast in the ledger."""

    broadcast_id: UUID


@handles(BuildBroadcast)
async def build_broadcast(work: Work, args: BuildBroadcast) -> Outcome:
    """Chunk by chunk, each committed with its cursor, so that a crash loses and doubles no one (L2)."""
    async with work.transaction() as tx:
        row = await tx.row(_ONE, account=tx.account_id, broadcast=args.broadcast_id)
    if row is None:
        return Refused("the email it was for is gone")
    audience = select_readers(row.newsletter_id, before=row.pressed_at)
    while not work.stopping:
        async with work.step() as tx:
            if (await record_chunk(tx, row.mailing_id, audience)).done:
                return Done()
    return Continue()
