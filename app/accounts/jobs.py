"""What goes after its time, also where nobody looks any more: kept answers, invitations that nobody took."""

from dataclasses import dataclass

from app.accounts.idempotency import HOURS
from app.jobs import Continue, Done, Outcome, Work, handles, job

#: Until then the team still sees that the days of an invitation were over.
DAYS_OVER = 30


@job("prune_answers", queue="housekeeping")
@dataclass(frozen=True)
class PruneAnswers:
    """Forget the answers of every account that were kept for a day."""


@job("prune_invitations", queue="housekeeping")
@dataclass(frozen=True)
class PruneInvitations:
    """Forget whom any account invited and who never came."""


@handles(PruneAnswers)
async def prune_answers(work: Work, args: PruneAnswers) -> Outcome:
    """Some thousands a step."""
    return await _prune(work, "select prune_answers(:after)", HOURS)


@handles(PruneInvitations)
async def prune_invitations(work: Work, args: PruneInvitations) -> Outcome:
    """A month after they were good."""
    return await _prune(work, "select prune_invitations(:after)", DAYS_OVER)


async def _prune(work: Work, statement: str, after: int) -> Outcome:
    while not work.stopping:
        async with work.step() as tx:
            if await tx.value(statement, after=after) == 0:
                return Done()
    return Continue()
