"""What workers repeat: timers beside the queues, and the schedule of jobs with a slot each.

A timer is for what is seconds apart or repairs the queues themselves (E11); anything else is a line
of the schedule, and runs as a job, with its tries and its record.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta

from app import audiences, broadcasts, imports, ledger, mail, messages, switches, webhooks
from app.accounts import PruneAnswers, PruneInvitations
from app.audiences import PruneBulkActs
from app.base import rehearsal
from app.base.database import Database
from app.base.settings import settings
from app.imports import PruneImportFiles
from app.jobs import LOST, MaintainAttempts, PruneJobs, Scheduled, count_outcome, enqueue_slots
from app.jobs.leases import expire_leases
from app.ops import PruneLimits
from app.webhooks import PruneWebhooks

#: Try-locks, so that one process over all machines does each round.
SWEEP_LOCK, SCHEDULE_LOCK = 7_265_010, 7_265_013


@dataclass(frozen=True)
class Timer:
    """`run` answers the queues that got work; `every` is seconds; `queue` None: every process.

    `first` goes before its first round in a process.
    """

    name: str
    every: Callable[[], float]
    run: Callable[[Database], Awaitable[set[str]]]
    queue: str | None = None
    first: Callable[[Database], Awaitable[None]] | None = None


async def sweep_leases(database: Database) -> set[str]:
    """Free the jobs of workers that went silent."""
    async with database.transaction() as tx:
        if not await tx.value("select pg_try_advisory_xact_lock(:lock)", lock=SWEEP_LOCK):
            return set()
        freed = await expire_leases(tx)
    for row in freed:
        count_outcome(row.queue, row.kind, LOST)
    return {row.queue for row in freed if row.state == "ready"}


#: Work of a minute or more apart: one run per slot over all machines, caught up within its grace (E8).
SCHEDULE: tuple[Scheduled, ...] = (
    Scheduled("prune jobs", every=timedelta(hours=1), grace=timedelta(hours=1), args=PruneJobs()),
    Scheduled("prune limits", every=timedelta(days=1), grace=timedelta(days=1), args=PruneLimits()),
    Scheduled("prune answers", every=timedelta(hours=1), grace=timedelta(hours=1), args=PruneAnswers()),
    Scheduled("prune webhooks", every=timedelta(hours=1), grace=timedelta(hours=1), args=PruneWebhooks()),
    Scheduled("prune invitations", every=timedelta(days=1), grace=timedelta(days=1), args=PruneInvitations()),
    Scheduled("prune bulk acts", every=timedelta(days=1), grace=timedelta(days=1), args=PruneBulkActs()),
    Scheduled(
        "prune import files", every=timedelta(days=1), grace=timedelta(days=1), args=PruneImportFiles()
    ),
    Scheduled("maintain attempts", every=timedelta(days=1), grace=timedelta(days=1), args=MaintainAttempts()),
)


async def enqueue_schedule(database: Database) -> set[str]:
    """Make the jobs of the slots that have come."""
    async with database.transaction() as tx:
        if not await tx.value("select pg_try_advisory_xact_lock(:lock)", lock=SCHEDULE_LOCK):
            return set()
        return await enqueue_slots(tx, SCHEDULE)


async def ask_provider_anew(database: Database) -> None:
    """A provider that refuses us is asked by who starts: its settings may be mended now."""
    async with database.transaction() as tx:
        await mail.probe_soon(tx)


# The ledger's two run in every process, the try-lock lets one of them work: a frozen process that sends
# must not keep its own batches from being seen (E11).
TIMERS: list[Timer] = [
    Timer("follow testing mode", lambda: rehearsal.EVERY, rehearsal.follow),
    Timer("sweep leases", lambda: settings().sending.sweep, sweep_leases),
    Timer("feed", lambda: 1.0, ledger.feed),
    Timer("probe the provider", lambda: 1.0, messages.probe_refusing, first=ask_provider_anew),
    Timer("sweep the ledger", lambda: settings().sending.sweep, ledger.sweep),
    Timer("pause what nobody reads", lambda: 10.0, broadcasts.pause_unread),
    Timer("fail acts given up", lambda: audiences.LEFT_EVERY, audiences.fail_left),
    Timer("fail imports given up", lambda: imports.LEFT_EVERY, imports.fail_left),
    Timer("hear of events left", lambda: webhooks.LEFT_EVERY, webhooks.fan_out_left),
    Timer("look back", lambda: switches.LOOK_EVERY, switches.look_back),
    Timer("schedule", lambda: settings().sending.sweep, enqueue_schedule, queue="housekeeping"),
]


def timers_for(queues: list[str]) -> list[Timer]:
    """The timers that a process with these queues runs."""
    return [timer for timer in TIMERS if timer.queue is None or timer.queue in queues]
