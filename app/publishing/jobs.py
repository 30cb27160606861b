"""The job that publishes what waited for its time, and the one that says when nothing does any more."""

from datetime import datetime
from uuid import UUID

from app.accounts import account_of
from app.base.database import Tx
from app.base.errors import Conflict, Invalid, NotFound, TooLarge
from app.base.settings import settings
from app.jobs import Continue, Done, Outcome, Work, handles
from app.messages import TeamNotice, queue_message
from app.publishing.scheduling import (
    LATE,
    EndScheduled,
    PublishScheduled,
    due_since,
    fail_scheduled,
    is_at_work,
    publish_due,
)

_TITLE = """
select r.title from scheduled s join revision r on r.account_id = s.account_id and r.id = s.revision_id
where s.account_id = :account and s.id = :id
"""
_TEAM = "select address from account_notice(:account)"
_BROKE = (
    "Something broke on our side, {times}, so it was given up. Nothing is lost: the text that waited is kept "
    "among the post's earlier versions. Publish it anew, or ask whoever runs this Godwit: the log says why."
)


@handles(PublishScheduled)
async def publish_scheduled(work: Work, args: PublishScheduled) -> Outcome:
    """Publish it; or end it as failed, with the reason, and tell the team: nothing of it happened then.

    The last try only does the latter, for what broke at every other.
    """
    async with work.transaction() as tx:
        at = await due_since(tx, args.scheduled_id)
    if at is None:
        return Done()
    if work.job.attempts >= work.job.max_attempts:
        return await _give_up(work, args.scheduled_id, at, f"{work.job.attempts - 1} times")
    try:
        async with work.transaction() as tx:
            await publish_due(tx, args.scheduled_id)
    except (Invalid, Conflict, NotFound, TooLarge) as error:
        await _failed(work, args.scheduled_id, at, error.detail)
    return Done()


@handles(EndScheduled)
async def end_scheduled(work: Work, args: EndScheduled) -> Outcome:
    """Its job died with its worker, or was discarded: say so. While one is there, look again later."""
    async with work.transaction() as tx:
        at = await due_since(tx, args.scheduled_id)
        if at is None:
            return Done()
        if await is_at_work(tx, args.scheduled_id):
            return Continue(at=await tx.value("select godwit_now()") + LATE)
    return await _give_up(work, args.scheduled_id, at, "and its work was cut off")


async def _give_up(work: Work, scheduled_id: UUID, at: datetime, times: str) -> Outcome:
    await _failed(work, scheduled_id, at, _BROKE.format(times=times))
    return Done()


async def _failed(work: Work, scheduled_id: UUID, at: datetime, reason: str) -> None:
    async with work.transaction() as tx:
        if await fail_scheduled(tx, scheduled_id, at, reason):
            await _tell_team(tx, scheduled_id, reason)


async def _tell_team(tx: Tx, scheduled_id: UUID, reason: str) -> None:
    account = await account_of(tx)
    title = await tx.value(_TITLE, account=tx.account_id, id=scheduled_id)
    for one in await tx.rows(_TEAM, account=tx.account_id):
        notice = TeamNotice(
            to=one.address,
            subject=f"{title} was not published",
            lines=(reason, "It was its time, and it could not be. Nothing of it was published or mailed."),
            link=f"{settings().base_url}/studio/{account.slug}/scheduled/{scheduled_id}",
            link_words="See what can be done",
            publication=account.name,
        )
        await queue_message(tx, notice, key=f"scheduled:{scheduled_id}:{one.address}")
