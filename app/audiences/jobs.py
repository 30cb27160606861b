"""The job of an act on many readers, and of forgetting acts that are long over."""

from dataclasses import dataclass
from uuid import UUID

from app.audiences.doing import fail_act, take_slice
from app.jobs import Continue, Done, Outcome, Work, handles, job

#: Days for which tags that an act changed can be given back.
KEPT_DAYS = 30


@job("act_on_readers", queue="imports", tries=10)
@dataclass(frozen=True)
class ActOnReaders:
    """Tag, untag, unsubscribe or erase whom an act found."""

    act_id: UUID


@job("prune_bulk_acts", queue="housekeeping")
@dataclass(frozen=True)
class PruneBulkActs:
    """Forget acts that are long over, with whose tags they changed."""


@handles(ActOnReaders)
async def act_on_readers(work: Work, args: ActOnReaders) -> Outcome:
    """Slice by slice, each committed with its cursor: killed, it goes on where it was."""
    if work.job.attempts >= work.job.max_attempts:
        async with work.step() as tx:
            words = f"It broke {work.job.attempts - 1} times. What was done stays done; order the rest anew."
            await fail_act(tx, args.act_id, words)
        return Done()
    while not work.stopping:
        async with work.step() as tx:
            if await take_slice(tx, args.act_id):
                return Done()
    return Continue()


@handles(PruneBulkActs)
async def prune_bulk_acts(work: Work, args: PruneBulkActs) -> Outcome:
    """Of every account, some thousands a step."""
    while not work.stopping:
        async with work.step() as tx:
            if await tx.value("select prune_bulk_acts(:days)", days=KEPT_DAYS) == 0:
                return Done()
    return Continue()
