"""The jobs of webhooks: fan-out, delivery, what waits follows its endpoint, what is over goes."""

from app.base.errors import Unavailable
from app.base.statements import sql
from app.jobs import Continue, Discard, Done, Held, Outcome, Throttled, Work, handles, let_go
from app.webhooks import calls
from app.webhooks.announcing import FanOut
from app.webhooks.delivering import NO_DATABASE, attempt
from app.webhooks.fanning import fan_out_some
from app.webhooks.holding import let_go_everywhere
from app.webhooks.orders import DeliverWebhook, share_of
from app.webhooks.pruning import PRUNED_AT_ONCE, PruneWebhooks
from app.webhooks.queries import KEPT_DAYS
from app.webhooks.roster import FollowEndpoint
from app.webhooks.states import EndpointState
from app.webhooks.switching import DELETED, OFF, PAUSED

#: Seconds until a delivery is looked at again of which nothing could be read.
NO_DATABASE_FOR = 5.0
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
    """One attempt, unless there is nothing to say, or nobody to say it to."""
    try:
        call = await calls.call_of(work)
    except Unavailable:
        return Throttled(NO_DATABASE, NO_DATABASE_FOR)
    if call is None:
        return Discard("its event is no longer kept")
    if call.deleted:
        return Discard(DELETED)
    if call.state != EndpointState.ACTIVE:
        return Held(PAUSED if call.state == EndpointState.PAUSED else OFF)
    return await attempt(work, call)


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
    """What waits for a secret goes where it opens again; then, step by step, old events go with their
    deliveries, and what only they needed."""
    await let_go_everywhere(work.database)
    while not work.stopping:
        async with work.step() as tx:
            gone = await tx.value("select prune_webhooks(:days, :most)", days=KEPT_DAYS, most=PRUNED_AT_ONCE)
        if gone < PRUNED_AT_ONCE:
            return Done()
    return Continue()
