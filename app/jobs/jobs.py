"""What jobs do for themselves: old ones go, the months of their attempts are kept ahead."""

from dataclasses import dataclass

from sqlalchemy.exc import DBAPIError

from app.base.statements import sql
from app.jobs.outcomes import Continue, Done, Outcome, Throttled
from app.jobs.registry import Work, handles, job

#: Days a job is kept once it is over. What gave up stays until somebody decides.
KEEP_DAYS = 30
#: Jobs a transaction.
PRUNED_AT_ONCE = 5000
#: Seconds until a table that was in use is tried again.
AGAIN_AFTER = 60.0
#: lock_not_available, PostgreSQL, Appendix A.
_LOCKED = "55P03"


@job("prune_jobs", queue="housekeeping")
@dataclass(frozen=True)
class PruneJobs:
    """Remove jobs that are long over, and the keys of slots that are long gone."""


@job("maintain_attempts", queue="housekeeping")
@dataclass(frozen=True)
class MaintainAttempts:
    """Make the partitions of the months to come, drop those of months whose jobs are gone."""


@handles(PruneJobs)
async def prune_jobs(work: Work, args: PruneJobs) -> Outcome:
    """Step by step; the keys stay (E5), those of slots for 90 days."""
    while not work.stopping:
        async with work.step() as tx:
            gone = await tx.execute(sql(__package__, "prune_jobs"), days=KEEP_DAYS, most=PRUNED_AT_ONCE)
            if gone < PRUNED_AT_ONCE:
                await tx.execute(sql(__package__, "prune_keys"))
                return Done()
    return Continue()


@handles(MaintainAttempts)
async def maintain_attempts(work: Work, args: MaintainAttempts) -> Outcome:
    """Three months ahead; old ones go with their last job; what falls outside lands in the default.

    Who settles jobs waits for each act: so each is a transaction of its own, and gives way to whoever is in
    the middle of reading tries (a dump, say) instead of keeping all others waiting with it (E10).
    """
    while not work.stopping:
        try:
            async with work.step() as tx:
                if not await tx.value("select maintain_attempts()"):
                    return Done()
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", None) != _LOCKED:
                raise
            return Throttled("somebody is reading the table of tries", AGAIN_AFTER)
    return Continue()
