"""What workers repeat beside the queues: name, how often, and which queue's worker does it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from app import ledger
from app.base import rehearsal
from app.base.database import Database
from app.base.settings import settings
from app.jobs.leases import expire_leases

#: Try-locks, so that one process over all machines does each round.
SWEEP_LOCK, ATTEMPTS_LOCK = 7_265_010, 7_265_013


@dataclass(frozen=True)
class Timer:
    """`run` answers the queues that got work; `every` is seconds; `queue` None: every process."""

    name: str
    every: Callable[[], float]
    run: Callable[[Database], Awaitable[set[str]]]
    queue: str | None = None


async def sweep_leases(database: Database) -> set[str]:
    """Free the jobs of workers that went silent."""
    async with database.transaction() as tx:
        if not await tx.value("select pg_try_advisory_xact_lock(:lock)", lock=SWEEP_LOCK):
            return set()
        return {row.queue for row in await expire_leases(tx) if row.state == "ready"}


async def maintain_attempts(database: Database) -> set[str]:
    """Keep the partitions of attempts ahead."""
    async with database.transaction() as tx:
        if await tx.value("select pg_try_advisory_xact_lock(:lock)", lock=ATTEMPTS_LOCK):
            await tx.value("select maintain_attempts()")
    return set()


TIMERS: list[Timer] = [
    Timer("follow testing mode", lambda: rehearsal.EVERY, rehearsal.follow),
    Timer("sweep leases", lambda: settings().sending.sweep, sweep_leases),
    Timer("feed", lambda: 1.0, ledger.feed, queue="sends"),
    Timer("sweep the ledger", lambda: settings().sending.sweep, ledger.sweep, queue="sends"),
    Timer("maintain attempts", lambda: 3600.0, maintain_attempts, queue="housekeeping"),
]


def timers_for(queues: list[str]) -> list[Timer]:
    """The timers that a process with these queues runs."""
    return [timer for timer in TIMERS if timer.queue is None or timer.queue in queues]
