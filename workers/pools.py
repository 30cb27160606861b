"""Connections: each family has its own, and the timers have theirs, so that none waits for another (E10)."""

from collections.abc import Sequence

from app.base.database import Database
from app.base.settings import settings
from app.jobs import QUEUES

#: A family with fewer could not claim while one handler is in a step.
FEWEST = 2
#: Handlers of a family that count: those of webhooks ask together.
MOST_COUNTED = 8
#: What repairs the queues does not wait for them (E11).
FOR_TIMERS = 3


def pool_sizes(queues: Sequence[str], connections: int) -> dict[str, int]:
    """GODWIT_WORKER_POOL shared out by handlers: queue → connections, two at least."""
    handlers = {queue: min(QUEUES[queue], MOST_COUNTED) for queue in queues}
    return {queue: max(FEWEST, connections * n // sum(handlers.values())) for queue, n in handlers.items()}


class Pools:
    """The pools of one worker process, all of the worker's role."""

    def __init__(self, queues: Sequence[str]) -> None:
        told = settings().database
        self.timers = _pool(FOR_TIMERS)
        self.families = {queue: _pool(size) for queue, size in pool_sizes(queues, told.worker_pool).items()}

    async def close(self) -> None:
        """Close every connection."""
        for pool in (self.timers, *self.families.values()):
            await pool.close()


def _pool(size: int) -> Database:
    return Database(settings().database.worker_url, "godwit_worker", size)
