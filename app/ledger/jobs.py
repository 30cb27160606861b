"""The ledger's jobs: a permit, the look-up of an unknown batch, the audit."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from app.base.telemetry import log
from app.jobs import Continue, Done, Outcome, Refused, Retry, Work, handles
from app.jobs import Throttled as Later
from app.ledger import audit, delivery, reconciliation
from app.ledger.audit import AuditMailing
from app.ledger.feeder import DeliverSends
from app.ledger.losing import LookUpBatch
from app.ledger.obstacles import Obstacle
from app.ledger.skipping import SkipCancelled, skip_chunk
from app.ledger.turns import reserve_turn
from app.mail import NotReached, Throttled, current_provider

#: Seconds before a permit that the provider did not take is used again.
BREATHER = 2.0
#: And at most so long (s), when everything has been put off for an hour. RFC 5321 4.5.4.1 asks for half an
#: hour between tries of one mail; ours are the last of a mailing, waiting behind the same few permits.
LONGEST_BREATHER = 900.0
#: Look-ups of one batch that were not whole, a window apart, before a person is asked.
MOST_LOOK_UPS = 10


@handles(DeliverSends)
async def deliver_sends(work: Work, permit: DeliverSends) -> Outcome:
    """Use a permit: claim, talk, settle."""
    wait = await reserve_turn(work, permit.n)
    if wait is None:
        return Done()  # gives its leave back: the feeder grants it anew, to whoever's turn it is then
    await asyncio.sleep(wait)
    if work.stopping:
        return Continue()
    provider = current_provider()
    batch = await delivery.claim(work, permit, provider)
    if batch is None:
        await delivery.finish(work.database, work.job.account_id, permit.mailing_id)
        return Done()
    outcome = await delivery.talk(batch, provider)
    met = await _to_its_end(delivery.settle(work, batch, outcome, provider))
    match outcome:
        case Throttled(reason=reason, after=after):
            return Later(reason, after=after or min(LONGEST_BREATHER, max(BREATHER, met.put_off_for / 4)))
        case NotReached(reason=reason):
            return Later(reason, after=BREATHER)
        case _:
            return Done()


async def _to_its_end(telling: Coroutine[Any, Any, Obstacle]) -> Obstacle:
    """What the provider said is told, also by who froze and finds its lease over: it is evidence (L1)."""
    task = asyncio.create_task(telling)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        if not task.cancelled() and (error := task.exception()):
            log.warning("answer_not_told", error=repr(error))
        raise


@handles(LookUpBatch)
async def look_up_batch(work: Work, args: LookUpBatch) -> Outcome:
    """Ask the provider's record about an unknown batch, and settle its rows by the answer."""
    question = await reconciliation.question(work, args.batch_id)
    if question is None:
        return Done()
    provider = current_provider()
    if not reconciliation.can_be_asked(question, provider):
        await reconciliation.leave_to_person(work, question)
        return Refused(f"{question.provider} keeps no record that could be asked now: a person decides")
    record = await reconciliation.ask(question, provider)
    if record.whole:
        await reconciliation.resolve(work, question, record)
        return Done()
    if work.job.attempts >= MOST_LOOK_UPS:
        await reconciliation.leave_to_person(work, question)
        return Refused("the provider's record could not be read whole: a person decides")
    await reconciliation.ask_again_later(work, question)
    return Retry("the provider's record could not be read whole", after=question.window)


@handles(SkipCancelled)
async def skip_cancelled(work: Work, args: SkipCancelled) -> Outcome:
    """Chunk by chunk, each committed, until nothing is planned any more."""
    while not work.stopping:
        async with work.step() as tx:
            if not await skip_chunk(tx, args.mailing_id):
                return Done()
    return Continue()


@handles(AuditMailing)
async def audit_mailing(work: Work, args: AuditMailing) -> Outcome:
    """Compare the figures with the rows, and the rows with the provider's record."""
    if not await audit.audit(work, args.mailing_id, current_provider()):
        return Retry("the provider's record may still be incomplete", after=5)
    return Done()
