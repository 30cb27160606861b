"""The job that publishes what waited for its time."""

from uuid import UUID

from app.accounts import account_of
from app.base.database import Tx
from app.base.errors import Conflict, Invalid, NotFound, TooLarge
from app.base.settings import settings
from app.jobs import Done, Outcome, Work, handles
from app.messages import TeamNotice, queue_message
from app.publishing.scheduling import PublishScheduled, fail_scheduled, publish_due

_TITLE = """
select r.title from scheduled s join revision r on r.account_id = s.account_id and r.id = s.revision_id
where s.account_id = :account and s.id = :id
"""
_TEAM = "select address from account_notice(:account)"


@handles(PublishScheduled)
async def publish_scheduled(work: Work, args: PublishScheduled) -> Outcome:
    """Publish it; or end it as failed, with the reason, and tell the team: nothing of it happened then."""
    try:
        async with work.transaction() as tx:
            await publish_due(tx, args.scheduled_id)
    except (Invalid, Conflict, NotFound, TooLarge) as error:
        async with work.transaction() as tx:
            if await fail_scheduled(tx, args.scheduled_id, error.detail):
                await _tell_team(tx, args.scheduled_id, error.detail)
    return Done()


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
