"""The broadcast's jobs: building its audience, and telling team and webhooks what became of it."""

from dataclasses import dataclass
from uuid import UUID

from app.base import failpoints
from app.base.statistics import SENDS, look_anew
from app.broadcasts.announcing import tell_changed, tell_started
from app.broadcasts.notices import tell_team
from app.broadcasts.queries import target_of
from app.broadcasts.welcomes import welcome_reader
from app.jobs import Continue, Discard, Done, Outcome, Refused, Work, handles, job
from app.ledger import Change, hears_of_mailings, mailing_view, record_chunk
from app.readers import WelcomeReader

BROADCAST_CHANGED = "broadcast_changed"


@job("build_broadcast", queue="build", tries=20)
@dataclass(frozen=True)
class BuildBroadcast:
    """Record the audience of a broadcast in the ledger."""

    broadcast_id: UUID


@hears_of_mailings(BROADCAST_CHANGED)
@job(BROADCAST_CHANGED, queue="messages", tries=10)
@dataclass(frozen=True)
class BroadcastChanged:
    """A broadcast's mailing finished, or needs a person for `reason`."""

    mailing_id: UUID
    change: Change
    reason: str


@handles(BuildBroadcast)
async def build_broadcast(work: Work, args: BuildBroadcast) -> Outcome:
    """Chunk by chunk, each committed with its cursor, so that a crash loses and doubles no one (L2).

    In it are those who were subscribed when it started.
    """
    async with work.transaction() as tx:
        target = await target_of(tx, args.broadcast_id)
        mailing = await mailing_view(tx, target.mailing_id) if target else None
    if target is None or mailing is None:
        return Refused("the email it was for is gone")
    audience = target.readers(before=mailing.starts_at)
    while not work.stopping:
        async with work.step() as tx:
            recorded = await record_chunk(tx, target.mailing_id, audience)
            if recorded.first:
                await tell_started(tx, args.broadcast_id)
        await failpoints.reached(work.database, "after_chunk", "ledger", work.job.kind)
        if recorded.done:
            async with work.transaction() as tx:
                await look_anew(tx, SENDS)
            return Done()
    return Continue()


@handles(BroadcastChanged)
async def broadcast_changed(work: Work, args: BroadcastChanged) -> Outcome:
    """Queue one mail to each of the team, and tell webhooks; asked again, no second time (M1, W1)."""
    once = str(work.job.id)
    async with work.transaction() as tx:
        await tell_team(tx, args.mailing_id, args.change, args.reason, once=once)
        await tell_changed(tx, args.mailing_id, args.change, args.reason, once=once)
    return Done()


@handles(WelcomeReader)
async def welcome(work: Work, args: WelcomeReader) -> Outcome:
    """Queue a newsletter's first mail, once a reader; who left meanwhile is mailed nothing."""
    async with work.transaction() as tx:
        why_not = await welcome_reader(tx, args.reader_id, args.newsletter_id)
    return Discard(why_not) if why_not else Done()
