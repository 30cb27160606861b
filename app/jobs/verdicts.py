"""What an operator decides about a job: try it again, or give it up for good."""

from app.base.database import Tx
from app.jobs.queue import ring_for

_QUEUE = "select queue from operator_job where id = :id"


async def retry_job(tx: Tx, job_id: int) -> bool:
    """Make a dead or held job ready, all its tries before it; False when it is neither. For operators."""
    if not await tx.value("select retry_job(:id)", id=job_id):
        return False
    ring_for(tx, {await tx.value(_QUEUE, id=job_id)})
    return True


async def discard_job(tx: Tx, job_id: int, because: str) -> bool:
    """Give up a job that is ready, dead or held, for good. False when it is none of these. As an operator."""
    return await tx.value("select discard_job(:id, :because)", id=job_id, because=because)
