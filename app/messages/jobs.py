"""Handing messages over: the lease is the intent, then the call, then the outcome settles the job."""

import asyncio
from datetime import datetime

from app import mail
from app.base.settings import settings
from app.jobs import Done, Outcome, Refused, Retry, Throttled, Unknown, Work, handles
from app.messages.outbox import FinishedMail, SendCreatorCode, as_mail

#: How often a code whose first call has no known outcome is called again.
UNSURE_TRIES = 2
_CALL_UNTIL = "select clock_timestamp() + make_interval(secs => :seconds)"


@handles(SendCreatorCode)
async def send_creator_code(work: Work, args: SendCreatorCode) -> Outcome:
    """A code: unsure is tried again at once, twice at most, never past its time (M2)."""
    outcome = await _hand_over(work, args)
    if isinstance(outcome, Unknown) and work.job.attempts > UNSURE_TRIES:
        return Refused(f"{outcome.reason} It was tried {work.job.attempts} times; ask for a new code.")
    return outcome


async def _hand_over(work: Work, finished: FinishedMail) -> Outcome:
    seconds = settings().sending.timeout
    deadline = asyncio.get_running_loop().time() + seconds
    async with work.transaction() as tx:
        call_until: datetime = await tx.value(_CALL_UNTIL, seconds=seconds)
    letter = as_mail(finished, work.job.account_id)
    try:
        async with asyncio.timeout_at(deadline):
            said = await mail.current_provider().deliver(
                [letter], batch_id=finished.delivery_id, call_until=call_until, deadline=deadline
            )
    except TimeoutError:
        return Unknown(f"The provider did not answer within {seconds:g} seconds.")
    return _meaning(said)


def _meaning(said: mail.Outcome) -> Outcome:
    """What a provider's answer means for the job (the tables in mail.outcome and jobs.outcomes)."""
    match said:
        case mail.Accepted():
            return Done()
        case mail.Refused(reason) | mail.Split(reason):
            return Refused(reason)
        case mail.Throttled(reason, after):
            return Throttled(reason, after or 5)
        case mail.NotReached(reason):
            return Retry(reason)
        case mail.Misconfigured(reason):
            return Retry(f"The provider refuses us: {reason}", after=30)
        case mail.Unknown(reason):
            return Unknown(reason)
