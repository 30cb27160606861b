"""The ledger's jobs: a permit, the look-up of an unknown batch, the audit."""

from app.jobs import Done, Outcome, Retry, Work, handles
from app.jobs import Throttled as Later
from app.ledger import audit, delivery, reconciliation
from app.ledger.audit import AuditMailing
from app.ledger.feeder import DeliverSends
from app.ledger.reconciliation import LookUpBatch
from app.mail import NotReached, Throttled, current_provider

#: Seconds before a permit that the provider did not take is used again.
BREATHER = 2.0


@handles(DeliverSends)
async def deliver_sends(work: Work, permit: DeliverSends) -> Outcome:
    """Use a permit: claim, talk, settle."""
    if wait := await delivery.seconds_until_turn(work, permit.n):
        return Later("the rate is used up for now", after=wait)
    provider = current_provider()
    batch = await delivery.claim(work, permit, provider)
    if batch is None:
        await delivery.finish(work.database, work.job.account_id, permit.mailing_id)
        return Done()
    outcome = await delivery.talk(batch, provider)
    await delivery.settle(work, batch, outcome)
    match outcome:
        case Throttled(reason=reason, after=after):
            return Later(reason, after=after or BREATHER)
        case NotReached(reason=reason):
            return Later(reason, after=BREATHER)
        case _:
            return Done()


@handles(LookUpBatch)
async def look_up_batch(work: Work, args: LookUpBatch) -> Outcome:
    """Ask the provider's record about an unknown batch, and settle its rows by the answer."""
    question = await reconciliation.question(work, args.batch_id)
    if question is None:
        return Done()
    record = await reconciliation.ask(question, current_provider())
    if not record.whole:
        return Retry("the provider's record could not be read whole", after=question.window)
    await reconciliation.resolve(work, question, record)
    return Done()


@handles(AuditMailing)
async def audit_mailing(work: Work, args: AuditMailing) -> Outcome:
    """Compare the figures with the rows, and the rows with the provider's record."""
    if not await audit.audit(work, args.mailing_id, current_provider()):
        return Retry("the provider's record may still be incomplete", after=5)
    return Done()
