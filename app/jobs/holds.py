"""Holding work that is ready, and letting it go again; both by compare-and-set."""

from collections.abc import Sequence

from app.base.database import Tx
from app.jobs.queue import ring_for

_HOLD = """
update job set state = 'held', reason = :reason
where state = 'ready' and id = any (array(
    select id from job where id = any (:ids) and state = 'ready' order by id for update))
"""
_LET_GO = """
update job set state = 'ready', reason = null, run_at = godwit_now()
where state = 'held' and id = any (array(
    select id from job where id = any (:ids) and state = 'held' order by id for update))
returning queue
"""


async def hold(tx: Tx, job_ids: Sequence[int], reason: str) -> int:
    """Keep ready jobs from being claimed until somebody lets them go; answers how many were ready.

    `reason` is for people, and may not be empty. As the worker: the web holds and frees nothing itself.
    """
    assert reason, "what is held says why"
    return await tx.execute(_HOLD, ids=list(job_ids), reason=reason)


async def let_go(tx: Tx, job_ids: Sequence[int]) -> int:
    """Make held jobs ready, due now; answers how many were held. Each counts on where it stopped."""
    queues = [row.queue for row in await tx.rows(_LET_GO, ids=list(job_ids))]
    ring_for(tx, set(queues))
    return len(queues)
