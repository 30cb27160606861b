"""What is swept up for slices that lie below the jobs."""

from dataclasses import dataclass

from app.jobs import Continue, Done, Outcome, Work, handles, job
from app.limits import forget_idle

#: Rows a transaction.
AT_ONCE = 5000


@job("prune_limits", queue="housekeeping")
@dataclass(frozen=True)
class PruneLimits:
    """Forget the buckets of limits that nobody has touched for a week."""


@handles(PruneLimits)
async def prune_limits(work: Work, args: PruneLimits) -> Outcome:
    """Step by step."""
    while not work.stopping:
        async with work.step() as tx:
            if await forget_idle(tx, AT_ONCE) < AT_ONCE:
                return Done()
    return Continue()
