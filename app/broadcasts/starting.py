"""Starting a broadcast, inside the transaction of its publication."""

from dataclasses import asdict, dataclass
from uuid import UUID

from app.accounts import Account
from app.audiences import AudienceSize, Segment, fields_of
from app.base import ids
from app.base.database import Tx
from app.base.errors import Invalid
from app.base.settings import settings
from app.broadcasts.content import RenderedMail, Variant, has_preview, no_way_out, render_mail
from app.broadcasts.jobs import BROADCAST_CHANGED, BuildBroadcast
from app.broadcasts.once import give_up_place
from app.jobs import enqueue
from app.ledger import NewMailing, start_mailing
from app.mail import mailbox_header, split_sender
from app.posts import Revision, live_slug
from app.readers import Newsletter


@dataclass(frozen=True)
class NewBroadcast:
    """A broadcast to start. `release` is that of the same press, None: only mailed; `segment` None: to
    everybody. The mail links to where the post is on the site, whichever press brought it there.

    `audience` is its size now: who is left out is kept with the broadcast. Of the segment its filter is kept.
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
    audience: AudienceSize
    segment: Segment | None = None
    undo_seconds: int | None = 0


_INSERT = """
insert into broadcast (account_id, id, post_id, revision_id, release, newsletter_id, mailing_id,
                       subject, preheader, again, left_out, pressed_by, pressed_by_name,
                       segment_id, segment_name, filter)
values (:account, :id, :post, :revision, :release, :newsletter, :mailing,
        :subject, :preheader, :again, :left_out, :pressed_by, :pressed_by_name,
        cast(:segment as uuid), :segment_name, cast(:filter as jsonb))
"""


async def start_broadcast(tx: Tx, account: Account, new: NewBroadcast) -> UUID:
    """Broadcast, mailing and build job, committed together (E1). Answers the broadcast's id.

    Raises Invalid for a mail that its readers could not leave by.
    """
    broadcast_id = ids.new()
    slug = await live_slug(tx, new.revision.post_id)
    mailing = await start_mailing(tx, _mailing(broadcast_id, account, new, slug or ""))
    await give_up_place(tx, new.revision.post_id, new.newsletter.id)
    out = asdict(new.audience.left_out) | ({"outside": new.audience.outside} if new.segment else {})
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
        left_out=out,
        pressed_by=new.pressed_by,
        pressed_by_name=new.pressed_by_name,
        segment=new.segment.id if new.segment else None,
        segment_name=new.segment.name if new.segment else None,
        filter=fields_of(new.segment.filter) if new.segment else None,
    )
    await enqueue(tx, BuildBroadcast(broadcast_id), key=str(broadcast_id), run_at=mailing.starts_at)
    return broadcast_id


def _mailing(broadcast_id: UUID, account: Account, new: NewBroadcast, slug: str) -> NewMailing:
    def mail(variant: Variant) -> RenderedMail:
        made = render_mail(
            new.revision,
            account,
            subject=new.subject,
            preheader=new.preheader,
            live_slug=slug,
            variant=variant,
        )
        if wrong := no_way_out(made):
            raise Invalid(wrong)
        return made

    full = mail("full")
    preview = mail("preview") if has_preview(new.revision) else None
    return NewMailing(
        source_kind="broadcast",
        source_id=broadcast_id,
        newsletter_id=new.newsletter.id,
        sender=sender_of(account, new.newsletter),
        reply_to=new.newsletter.reply_to or account.reply_to,
        subject=full.subject,
        text=full.text,
        html=full.html,
        site_url=account.site_url,
        on_change=BROADCAST_CHANGED,
        wait=account.undo_seconds if new.undo_seconds is None else new.undo_seconds,
        preview_text=preview.text if preview else None,
        preview_html=preview.html if preview else None,
    )


def sender_of(account: Account, newsletter: Newsletter) -> str:
    """From: the newsletter's or account's sender name, with its From address or the platform's."""
    name = newsletter.sender_name or account.sender_name or account.name
    address = newsletter.from_address or split_sender(settings().mail.sender)[1]
    return mailbox_header(name, address).replace("\r\n", "")
