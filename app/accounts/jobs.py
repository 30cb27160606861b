"""Answers kept for an Idempotency-Key go after their time, also where nobody calls any more."""

from dataclasses import dataclass

from app.accounts.idempotency import HOURS
from app.jobs import Continue, Done, Outcome, Work, handles, job


@job("prune_answers", queue="housekeeping")
@dataclass(frozen=True)
class PruneAnswers:
    """Forget the answers of every account that were kept for a day."""


@handles(PruneAnswers)
async def prune_answers(work: Work, args: PruneAnswers) -> Outcome:
    """Some thousands a step."""
    while not work.stopping:
        async with work.step() as tx:
            if await tx.value("select prune_answers(:hours)", hours=HOURS) == 0:
                return Done()
    return Continue()
