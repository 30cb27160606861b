"""What a provider's answer to a message means for its job."""

from app import mail
from app.jobs import Done, Outcome, Refused, Retry, Throttled, Unknown

#: Seconds for which a server that names no time puts a mail off at first.
PUT_OFF_FIRST = 5.0
#: Days of nothing but "not now" after which a message gives up, as a mailing pauses.
DAYS_PUT_OFF = 2
#: How the reason of what waits for a provider begins that refuses us.
REFUSES_US = "The provider refuses us:"


def meaning_of(said: mail.Outcome, put_off: float, most: float) -> Outcome:
    """What a provider's answer means for the job (the tables in mail.outcome and jobs.outcomes)."""
    match said:
        case mail.Accepted():
            return Done()
        case mail.Refused(reason) | mail.Split(reason):
            return Refused(reason)
        case mail.Throttled(reason, after):
            return _put_off(reason, after or PUT_OFF_FIRST, put_off, most)
        case mail.NotReached(reason):
            return Retry(reason)
        case mail.Misconfigured(reason):
            return refused_us(reason, mail.FIRST_PROBE)
        case mail.Unknown(reason):
            return Unknown(reason)


def _put_off(reason: str, first: float, so_far: float, most: float) -> Outcome:
    """Later and later, uncounted, until it was put off for days.

    What it was told to wait is summed up, rather than a clock read: what a switch held or nobody worked on in
    between was not put off by the server.
    """
    if so_far >= DAYS_PUT_OFF * 86_400:
        return Refused(f"put off for {DAYS_PUT_OFF} days: {reason}")
    wait = max(first, min(most, first + so_far))
    return Throttled(reason, wait, so_far + wait)


def refused_us(reason: str, wait: float) -> Outcome:
    """Uncounted: a wrong key must not make messages give up. They wait for the next probe."""
    return Throttled(f"{REFUSES_US} {reason}", wait)
