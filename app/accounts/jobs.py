"""The accounts' jobs: what is forgotten after its time; a team hears that its webhook was switched off."""

from dataclasses import dataclass

from app.accounts.idempotency import HOURS
from app.accounts.notices import tell_of_webhook
from app.jobs import Continue, Discard, Done, Outcome, Work, handles, job
from app.webhooks import EndpointSwitchedOff

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


@handles(EndpointSwitchedOff)
async def endpoint_switched_off(work: Work, args: EndpointSwitchedOff) -> Outcome:
    """Mail the team, each once (M1), unless somebody has dealt with it already."""
    async with work.transaction() as tx:
        still = await tell_of_webhook(tx, args.endpoint_id, args.url, args.reason, once=str(work.job.id))
    return Done() if still else Discard("the webhook is on again, or gone")
