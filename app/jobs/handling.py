"""Running one handler: what it is given, and what is made of what escapes it."""

import msgspec

from app.base.database import in_words
from app.base.telemetry import log
from app.jobs.leases import LeaseLost
from app.jobs.outcomes import Outcome, Refused, Retry, Unknown
from app.jobs.registry import ClaimedJob, Work, decoded, handler_of, kind_named


async def outcome_of(work: Work, job: ClaimedJob) -> Outcome:
    """Run the handler; what escapes it is a Retry with its class and message, in words for people.

    A handler that hangs past its lease is cut, or it would keep its slot for ever (E10): nobody can
    tell what it did, as with a worker that died.
    """
    try:
        args = decoded(kind_named(job.kind), job.args, job.version)
    except (KeyError, msgspec.ValidationError) as error:
        return Refused(f"its arguments cannot be read: {error}")
    try:
        with work.within_lease():
            return await handler_of(job.kind)(work, args)
    except LeaseLost:
        return Retry("the lease was lost in mid-work", after=0)
    except Exception as error:  # engine.md: an exception that escapes is a Retry
        if work.overran:
            return Unknown("it took longer than its lease and was cut off")
        log.warning("handler_raised", job=job.id, kind=job.kind, exc_info=True)
        return Retry(in_words(error))
