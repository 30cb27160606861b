"""What a team is told by mail: an email is finished, with its figures, or needs somebody, and why."""

from uuid import UUID

from app.base.database import Tx
from app.base.settings import settings
from app.ledger import Change, MailingView, mailing_view
from app.messages import TeamNotice, queue_message

_ONE = """
select b.id, b.subject, a.slug, a.name
from broadcast b join account a on a.id = b.account_id
where b.account_id = :account and b.mailing_id = :mailing
"""
_TEAM = "select address from account_notice(:account)"


async def tell_team(tx: Tx, mailing_id: UUID, change: Change, reason: str, *, once: str) -> int:
    """Queue a mail to each of the team, once for each key `once`; answers how many are told."""
    row = await tx.row(_ONE, account=tx.account_id, mailing=mailing_id)
    mailing = await mailing_view(tx, mailing_id)
    if row is None or mailing is None:
        return 0
    team = [one.address for one in await tx.rows(_TEAM, account=tx.account_id)]
    for address in team:
        notice = TeamNotice(
            to=address,
            subject=subject_of(row.subject, mailing, change),
            lines=lines_of(mailing, change, reason),
            link=f"{settings().base_url}/studio/{row.slug}/broadcasts/{row.id}",
            link_words="Open the email" if change == "finished" else "See what can be done",
            publication=row.name,
        )
        await queue_message(tx, notice, key=f"broadcast:{once}:{address}")
    return len(team)


def subject_of(subject: str, mailing: MailingView, change: Change) -> str:
    """The one sentence of the mail, on one line."""
    if change == "finished":
        return f"{subject} is out: {mailing.figures.sent:,} sent"
    return f"{subject} needs you"


def lines_of(mailing: MailingView, change: Change, reason: str) -> tuple[str, ...]:
    """What there is to know: figures that add up, or why it stopped."""
    figures = mailing.figures
    parts = [
        f"{count:,} {words}"
        for count, words in (
            (figures.sent, "sent"),
            (figures.skipped, "not mailed"),
            (figures.failed, "failed"),
            (figures.unknown, "unsure"),
            (figures.to_go, "waiting"),
        )
        if count
    ]
    told = f"Of {figures.audience:,} in the audience: {', '.join(parts) or 'nobody'}."
    if change == "finished":
        return (told,)
    why = f"{reason[:1].upper()}{reason[1:]}".rstrip(". ")
    return (f"{why}.", told, "Nobody is mailed twice meanwhile, and nothing is lost.")
