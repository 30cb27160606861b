"""The jobs of webhooks: fan-out, delivery, what waits follows its endpoint, what is over goes."""

import asyncio
from dataclasses import replace

from app.base import failpoints
from app.base.database import in_words
from app.base.errors import Unavailable
from app.base.seal import Unsealable
from app.base.statements import sql
from app.base.telemetry import log
from app.egress import Answer, Lost, NotAllowed, NotReached
from app.jobs import Continue, Discard, Done, Held, Outcome, Refused, Retry, Throttled, Work, handles, let_go
from app.webhooks import calls, replies
from app.webhooks.announcing import FanOut
from app.webhooks.calls import Call, NoTime
from app.webhooks.catalogue import TEST
from app.webhooks.fanning import fan_out_some
from app.webhooks.orders import DeliverWebhook, share_of
from app.webhooks.policies import policy_for
from app.webhooks.pruning import PRUNED_AT_ONCE, PruneWebhooks
from app.webhooks.queries import KEPT_DAYS
from app.webhooks.roster import FollowEndpoint
from app.webhooks.states import EndpointState
from app.webhooks.switching import DELETED, OFF, PAUSED, note_failure, note_success, switch_off

#: Jobs that follow their endpoint in one commit.
FOLLOWED_AT_ONCE = 1000

_STATE = (
    "select state, deleted_at is not null as deleted from endpoint where account_id = :account and id = :id"
)
_HELD = """
select id from job
where account_id = :account and queue = 'webhooks' and share = :share and state = 'held'
order by id limit :most
"""


@handles(FanOut)
async def fan_out(work: Work, args: FanOut) -> Outcome:
    """Some at a time, each in one commit, until everything that was announced has its number."""
    while not work.stopping:
        async with work.step() as tx:
            if not await fan_out_some(tx):
                return Done()
    return Continue()


@handles(DeliverWebhook)
async def deliver_webhook(work: Work, args: DeliverWebhook) -> Outcome:
    """One attempt: read, sign, connect, look at the lease, send; then how the endpoint stands."""
    try:
        call = await calls.call_of(work)
        if call is None:
            return Discard("its event is no longer kept")
        if call.deleted:
            return Discard(DELETED)
        if call.state != EndpointState.ACTIVE:
            return Held(PAUSED if call.state == EndpointState.PAUSED else OFF)
        outcome = await _tried(work, call)
    except (NoTime, Unavailable):
        return Continue(reason="there was no time, or no database, before anything was sent")
    except Unsealable as error:
        return Held(f"The secret of the webhook cannot be opened. {error}")
    await failpoints.reached(work.database, "after_talk", "webhooks", work.job.kind)
    try:
        await _note(work, call, outcome)
    except (
        Exception
    ) as error:  # what the receiver said stands, whatever becomes of our books; the next try notes it
        log.warning("endpoint_not_noted", endpoint=str(call.endpoint_id), error=in_words(error))
    return outcome


async def _tried(work: Work, call: Call) -> Outcome:
    headers = calls.headers_of(call)
    policy = policy_for(call.type)
    loop = asyncio.get_running_loop()
    began = loop.time()
    told: dict[str, object] = {"request_headers": headers}
    try:
        answer = await calls.send(work, call, headers)
    except NotAllowed as error:
        outcome: Outcome = Refused(error.reason, told | {"error": error.reason})
    except (NotReached, Lost) as error:
        outcome = Retry(error.reason, policy.after(work.job.attempts), told | {"error": error.reason})
    else:
        outcome = replies.outcome_of(
            answer,
            policy,
            attempts=work.job.attempts,
            throttles=call.throttles,
            age=call.age,
            detail=told | _answered(answer),
        )
    return _timed(outcome, round((loop.time() - began) * 1000))


def _answered(answer: Answer) -> dict[str, object]:
    return {"status": answer.status, "answer": replies.storable(answer)}


def _timed(outcome: Outcome, milliseconds: int) -> Outcome:
    assert isinstance(outcome, Done | Retry | Refused | Throttled)
    return replace(outcome, detail={**(outcome.detail or {}), "duration_ms": milliseconds})


async def _note(work: Work, call: Call, outcome: Outcome) -> None:
    """How the endpoint stands after this; nothing is written while all is well."""
    match outcome:
        case Done():
            if call.failures:
                async with work.step() as tx:
                    await note_success(tx, call.endpoint_id)
        case Refused(reason=reason, detail=detail) if (detail or {}).get("status") == replies.GONE:
            async with work.step() as tx:
                await switch_off(
                    tx, call.endpoint_id, f"{replies.in_words(replies.GONE)} It wants nothing more."
                )
        case Retry(reason=reason) | Refused(reason=reason) if call.type != TEST.type:
            async with work.step() as tx:
                await note_failure(tx, call.endpoint_id, reason)
        case _:
            pass


@handles(FollowEndpoint)
async def follow_endpoint(work: Work, args: FollowEndpoint) -> Outcome:
    """Hold what waits for an endpoint that is not called, let it go when it is again, discard it with it."""
    while not work.stopping:
        async with work.step() as tx:
            found = await tx.row(_STATE, account=tx.account_id, id=args.endpoint_id)
            if found is None:
                return Done()
            how = {"account": tx.account_id, "share": share_of(args.endpoint_id), "most": FOLLOWED_AT_ONCE}
            if found.deleted:
                moved = await tx.execute(sql(__package__, "discard_waiting"), reason=DELETED, **how)
            elif found.state != EndpointState.ACTIVE:
                why = PAUSED if found.state == EndpointState.PAUSED else OFF
                moved = await tx.execute(sql(__package__, "hold_waiting"), reason=why, **how)
            else:
                moved = await let_go(tx, [row.id for row in await tx.rows(_HELD, **how)])
        if moved < FOLLOWED_AT_ONCE:
            return Done()
    return Continue()


@handles(PruneWebhooks)
async def prune_webhooks(work: Work, args: PruneWebhooks) -> Outcome:
    """Step by step: old events with their deliveries, then what only they needed."""
    while not work.stopping:
        async with work.step() as tx:
            gone = await tx.value("select prune_webhooks(:days, :most)", days=KEPT_DAYS, most=PRUNED_AT_ONCE)
        if gone < PRUNED_AT_ONCE:
            return Done()
    return Continue()
