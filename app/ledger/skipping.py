"""What is left of a cancelled mailing: its planned copies are skipped, in committed chunks."""

from dataclasses import dataclass
from uuid import UUID

from app.base.database import Tx
from app.base.statements import sql
from app.jobs import job

CHUNK = 5_000


@job("skip_cancelled", queue="housekeeping", tries=20)
@dataclass(frozen=True)
class SkipCancelled:
    """Skip what a cancelled mailing still had planned."""

    mailing_id: UUID


async def skip_chunk(tx: Tx, mailing_id: UUID, *, chunk: int = CHUNK) -> int:
    """Skip the next planned copies of a cancelled mailing; answers how many, 0 when none is left."""
    return int(
        await tx.value(
            sql(__package__, "skip_cancelled"), account=tx.account_id, mailing=mailing_id, chunk=chunk
        )
    )
