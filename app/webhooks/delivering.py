"""One attempt at a delivery: sent, understood, and noted in how its endpoint stands."""

import asyncio
from dataclasses import replace

from app.base import failpoints
from app.base.database import in_words
from app.base.errors import Unavailable
from app.base.seal import Unsealable
from app.base.telemetry import log
from app.egress import Answer, Lost, NotAllowed, NotReached
from app.jobs import Done, Held, Outcome, Refused, Retry, Throttled, Work
from app.webhooks import calls, replies
from app.webhooks.calls import Call, NoTime
from app.webhooks.catalogue import TEST
from app.webhooks.policies import policy_for
from app.webhooks.secrets import SHUT
from app.webhooks.switching import note_success, note_unheard, switch_off

NO_TIME = "The worker had too little time left when it was to call. Nothing was sent."
NO_DATABASE = "The worker’s database did not answer when it was to call. Nothing was sent."
#: Seconds until it is tried again after one of these, at most; they double up to here.
LONGEST_PAUSE = 60.0


async def attempt(work: Work, call: Call) -> Outcome:
    """Sign, connect, look at the lease, send; then how the endpoint stands."""
    try:
        outcome = await _tried(work, call)
    except NoTime:
        return _put_off(work, call, NO_TIME)
    except Unavailable:
        return _put_off(work, call, NO_DATABASE)
    except Unsealable as error:
        return Held(f"{SHUT} {error}")
    await failpoints.reached(work.database, "after_talk", "webhooks", work.job.kind)
    try:
        await _note(work, call, outcome)
    except (
        Exception
    ) as error:  # what the receiver said stands, whatever becomes of our books; the next try notes it
        log.warning("endpoint_not_noted", endpoint=str(call.endpoint_id), error=in_words(error))
    return outcome


def _put_off(work: Work, call: Call, reason: str) -> Outcome:
    """Our own trouble spends no try for as long as its tries would go on; from then on it does, to an end."""
    policy = policy_for(call.type)
    wait = min(LONGEST_PAUSE, 2.0 ** min(call.throttles, 30))
    if call.age + wait <= policy.window:
        return Throttled(reason, wait, detail={"error": reason})
    return Retry(reason, policy.after(work.job.attempts), {"error": reason})


async def _tried(work: Work, call: Call) -> Outcome:
    headers = calls.headers_of(call, work.job.attempts)
    policy = policy_for(call.type)
    loop = asyncio.get_running_loop()
    began = loop.time()
    sent: dict[str, object] = {"request_headers": headers}
    try:
        answer = await calls.send(work, call, headers)
    except NotAllowed as error:
        outcome: Outcome = Refused(error.reason, {"error": error.reason})
    except NotReached as error:
        outcome = Retry(error.reason, policy.after(work.job.attempts), {"error": error.reason})
    except Lost as error:
        outcome = Retry(error.reason, policy.after(work.job.attempts), sent | {"error": error.reason})
    else:
        outcome = replies.outcome_of(
            answer,
            policy,
            attempts=work.job.attempts,
            throttles=call.throttles,
            age=call.age,
            detail=sent | _answered(answer),
        )
    return _timed(outcome, round((loop.time() - began) * 1000))


def _answered(answer: Answer) -> dict[str, object]:
    return {"status": answer.status, "answer": replies.storable(answer)}


def _timed(outcome: Outcome, milliseconds: int) -> Outcome:
    assert isinstance(outcome, Done | Retry | Refused | Throttled)
    return replace(outcome, detail={**(outcome.detail or {}), "duration_ms": milliseconds})


async def _note(work: Work, call: Call, outcome: Outcome) -> None:
    """How the endpoint stands after this; nothing is written while all is well."""
    whose = call.endpoint_id, call.era
    match outcome:
        case Done():
            if call.troubled:
                async with work.step() as tx:
                    await note_success(tx, *whose)
        case Refused(detail=detail) if (detail or {}).get("status") == replies.GONE:
            async with work.step() as tx:
                await switch_off(tx, *whose, f"{replies.in_words(replies.GONE)} It wants nothing more.")
        case Retry(reason=why) | Refused(reason=why) | Throttled(reason=why) if call.type != TEST.type:
            async with work.step() as tx:
                await note_unheard(tx, *whose, why, failed=not isinstance(outcome, Throttled))
        case _:
            pass
