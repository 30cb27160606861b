"""What an answer means for its delivery (engine.md section 3), in words for people."""

import random
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus

from app.egress import Answer
from app.jobs import Done, Outcome, Refused, Retry, Throttled
from app.webhooks.policies import Policy

#: Statuses below 500 that may pass (RFC 9110; 425: RFC 8470; 429: RFC 6585).
MAY_PASS = frozenset({408, 409, 425, 429})
#: It says itself that it was too much (RFC 6585 4), with a Retry-After or without.
TOO_MANY = 429
#: Statuses whose Retry-After is heeded (RFC 9110 15.6.4, RFC 6585 4).
PUTS_OFF = frozenset({TOO_MANY, 503})
GONE = 410
#: Seconds that one Retry-After may ask for.
LONGEST_WAIT = 6 * 3600
#: Seconds until whoever says that it was too much, and not until when, is called again; then twice that.
FIRST_WAIT = 5.0
#: Characters of an answer that are kept; bytes, once they are encoded.
KEPT = 2000


def outcome_of(
    answer: Answer, policy: Policy, *, attempts: int, throttles: int, age: float, detail: Mapping[str, object]
) -> Outcome:
    """`age`: seconds since the delivery was made; a receiver puts it off no longer than its tries go on."""
    told = in_words(answer.status)
    if 200 <= answer.status < 300:
        return Done(detail)
    if answer.status == GONE:
        return Refused(f"{told} It wants nothing more.", detail)
    if 400 <= answer.status < 500 and answer.status not in MAY_PASS:
        return Refused(f"{told} It would be refused again.", detail)
    wait = _put_off(answer, throttles)
    if wait is not None and age + wait <= policy.window:
        return Throttled(f"{told} It asked to be called again later.", wait, detail=detail)
    if 300 <= answer.status < 400:
        told = f"{told} Redirects are not followed: give the address that it leads to."
    return Retry(told, policy.after(attempts), detail)


def _put_off(answer: Answer, throttles: int) -> float | None:
    """Seconds to let it be, without a try being spent (E6); None: it asked for nothing of the kind."""
    if answer.status not in PUTS_OFF:
        return None
    asked = retry_after(answer.headers)
    if asked is not None:
        return max(asked, min(LONGEST_WAIT, 2.0 ** min(throttles, 30)))
    if answer.status != TOO_MANY:
        return None
    most = min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** min(throttles, 30))
    return random.uniform(most / 2, most)


def in_words(status: int) -> str:
    """`It answered 503 Service Unavailable.`"""
    try:
        phrase = f" {HTTPStatus(status).phrase}"
    except ValueError:
        phrase = ""
    return f"It answered {status}{phrase}."


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the answer asks us to wait, 1 to six hours; None: it says nothing that can be read.

    A date is read against the answer's own Date: their clock need not be ours.
    """
    given = headers.get("retry-after", "").strip()
    if given.isascii() and given.isdigit():
        return _bounded(float(given[:9]))
    until, now = _date(given), _date(headers.get("date", ""))
    if until is None:
        return None
    return _bounded((until - (now or datetime.now(UTC))).total_seconds())


def storable(answer: Answer) -> str:
    """The first bytes of an answer as text: whatever was wrong in it is replaced."""
    text = answer.body[:KEPT].decode("utf-8", "replace").replace("\0", "\N{REPLACEMENT CHARACTER}")
    return text.encode()[:KEPT].decode("utf-8", "ignore")


def _bounded(seconds: float) -> float:
    return min(LONGEST_WAIT, max(1.0, seconds))


def _date(given: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(given)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
