"""Starting a broadcast, inside the transaction of its publication."""

from dataclasses import asdict, dataclass
from uuid import UUID

from app.accounts import Account
from app.audiences import LeftOut
from app.base import ids
from app.base.database import Tx
from app.base.settings import settings
from app.broadcasts.content import render_mail
from app.broadcasts.jobs import BROADCAST_CHANGED, BuildBroadcast
from app.broadcasts.once import give_up_place
from app.jobs import enqueue
from app.ledger import NewMailing, start_mailing
from app.mail import mailbox_header, split_sender
from app.posts import Revision
from app.readers import Newsletter


@dataclass(frozen=True)
class NewBroadcast:
    """A broadcast to start. `release` None: only mailed, not on the site.

    `undo_seconds` (None: the account's) pass before it begins. Cancelled before anybody was handed over, it
    counts as never mailed.
    """

    revision: Revision
    newsletter: Newsletter
    release: int | None
    subject: str
    preheader: str
    again: bool
    pressed_by: UUID | None
    pressed_by_name: str
    left_out: LeftOut
    undo_seconds: int | None = 0


_INSERT = """
insert into broadcast (account_id, id, post_id, revision_id, release, newsletter_id, mailing_id,
                       subject, preheader, again, left_out, pressed_by, pressed_by_name)
values (:account, :id, :post, :revision, :release, :newsletter, :mailing,
        :subject, :preheader, :again, :left_out, :pressed_by, :pressed_by_name)
"""


async def start_broadcast(tx: Tx, account: Account, new: NewBroadcast) -> UUID:
    """Broadcast, mailing and build job, committed together (E1). Answers the broadcast's id."""
    broadcast_id = ids.new()
    mail = render_mail(
        new.revision,
        account,
        subject=new.subject,
        preheader=new.preheader,
        on_site=new.release is not None,
    )
    mailing = await start_mailing(
        tx,
        NewMailing(
            source_kind="broadcast",
            source_id=broadcast_id,
            newsletter_id=new.newsletter.id,
            sender=sender_of(account, new.newsletter),
            reply_to=new.newsletter.reply_to or account.reply_to,
            subject=mail.subject,
            text=mail.text,
            html=mail.html,
            site_url=account.site_url,
            on_change=BROADCAST_CHANGED,
            wait=account.undo_seconds if new.undo_seconds is None else new.undo_seconds,
        ),
    )
    await give_up_place(tx, new.revision.post_id, new.newsletter.id)
    await tx.execute(
        _INSERT,
        account=tx.account_id,
        id=broadcast_id,
        post=new.revision.post_id,
        revision=new.revision.id,
        release=new.release,
        newsletter=new.newsletter.id,
        mailing=mailing.id,
        subject=new.subject or new.revision.title,
        preheader=new.preheader or new.revision.excerpt,
        again=new.again,
        left_out=asdict(new.left_out),
        pressed_by=new.pressed_by,
        pressed_by_name=new.pressed_by_name,
    )
    await enqueue(tx, BuildBroadcast(broadcast_id), key=str(broadcast_id), run_at=mailing.starts_at)
    return broadcast_id


def sender_of(account: Account, newsletter: Newsletter) -> str:
    """From: the newsletter's or account's sender name, with its From address or the platform's."""
    name = newsletter.sender_name or account.sender_name or account.name
    address = newsletter.from_address or split_sender(settings().mail.sender)[1]
    return mailbox_header(name, address).replace("\r\n", "")
