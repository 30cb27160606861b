"""What people do to a broadcast, in the studio and by the API: the ledger's moves, named by broadcast."""

from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from app import ledger
from app.base.database import Tx
from app.base.errors import NotFound
from app.broadcasts.jobs import BuildBroadcast
from app.broadcasts.queries import Target, target_of
from app.jobs import enqueue
from app.mail import current_provider

_UNDONE = "update broadcast set undone = true where account_id = :account and id = :broadcast"

Verdict = Literal["sent", "planned"]


@dataclass(frozen=True)
class Done:
    """What an act did: `count` copies it moved or added, where it counts any; `undone`: nobody was mailed."""

    count: int = 0
    undone: bool = False


async def pause(tx: Tx, broadcast_id: UUID, by: str) -> Done:
    """Nothing more is handed over. Raises NotFound, and like every act here Conflict naming the state."""
    await ledger.pause(tx, (await _one(tx, broadcast_id)).mailing_id, by)
    return Done()


async def resume(tx: Tx, broadcast_id: UUID) -> Done:
    """It goes on: with reading its audience, if that is not whole yet."""
    resumed = await ledger.resume(tx, (await _one(tx, broadcast_id)).mailing_id)
    if resumed.state == "building":
        await enqueue(tx, BuildBroadcast(broadcast_id), run_at=resumed.starts_at)
    return Done()


async def cancel(tx: Tx, broadcast_id: UUID, by: str) -> Done:
    """It stops for good. Before anybody was handed over it counts as never mailed."""
    undone = await ledger.cancel(tx, (await _one(tx, broadcast_id)).mailing_id, by)
    if undone:
        await tx.execute(_UNDONE, account=tx.account_id, broadcast=broadcast_id)
    return Done(undone=undone)


async def retry_failed(tx: Tx, broadcast_id: UUID) -> Done:
    """The failed copies wait for their turn again."""
    return Done(await ledger.retry_failed(tx, (await _one(tx, broadcast_id)).mailing_id))


async def send_to_missing(tx: Tx, broadcast_id: UUID) -> Done:
    """Who is in its audience now and has no copy gets one; unknown ones are left alone."""
    one = await _one(tx, broadcast_id)
    return Done(await ledger.send_to_missing(tx, one.mailing_id, one.readers()))


async def settle_unsure(
    tx: Tx, broadcast_id: UUID, verdict: Verdict, readers: list[UUID] | None, by: str
) -> Done:
    """A person says of unknown copies (None: of all) that they arrived, or that they are to be sent again."""
    one = await _one(tx, broadcast_id)
    recorded = current_provider().has_record
    return Done(await ledger.decide(tx, one.mailing_id, verdict, readers, by=by, recorded=recorded))


async def _one(tx: Tx, broadcast_id: UUID) -> Target:
    found = await target_of(tx, broadcast_id)
    if found is None:
        raise NotFound("There is no such broadcast.")
    return found
