"""Messages on their way: a job whose arguments are the finished mail."""

from dataclasses import asdict, dataclass
from datetime import datetime
from email.utils import parseaddr
from uuid import UUID

from app.base import clock, ids
from app.base.database import Tx
from app.base.settings import settings
from app.jobs import PROMPT, enqueue_platform, job
from app.mail import Mail, MailKind
from app.messages.catalogue import Message
from app.messages.rendering import render_mail

_SECRETS = ("subject", "text", "html")


@dataclass(frozen=True)
class FinishedMail:
    """A mail as it will leave, in words that a job can keep."""

    delivery_id: UUID
    message_id: str
    to: str
    sender: str
    subject: str
    text: str
    html: str
    kind: MailKind
    date: datetime


@job(
    "send_creator_code",
    queue="codes_creators",
    tries=8,
    on_unknown="ready",
    secrets=_SECRETS,
    backoff=PROMPT,
)
@dataclass(frozen=True)
class SendCreatorCode(FinishedMail):
    """Hand over a sign-in code. Unknown: again, with the same code and Message-ID."""


def finish(message: Message) -> FinishedMail:
    """Render a message and give it its ids; nothing is queued."""
    words = render_mail(message.template, code=message.code, minutes=message.minutes, link=message.link)
    delivery_id = ids.new()
    sender = settings().mail.sender
    domain = parseaddr(sender)[1].rpartition("@")[2]
    return FinishedMail(
        delivery_id=delivery_id,
        message_id=f"<{delivery_id.hex}@{domain}>",
        to=message.to,
        sender=sender,
        subject=words.subject,
        text=words.text,
        html=words.html,
        kind="code",
        date=clock.now(),
    )


async def queue_message(tx: Tx, message: Message, *, key: str | None = None) -> int | None:
    """Queue a message with its cause; its job's id, or None when the key is known (M1)."""
    mail = finish(message)
    return await enqueue_platform(tx, SendCreatorCode(**asdict(mail)), key=key, expires_at=message.expires_at)


def as_mail(finished: FinishedMail, account_id: int) -> Mail:
    """The mail to hand over."""
    return Mail(
        delivery_id=finished.delivery_id,
        message_id=finished.message_id,
        to=finished.to,
        to_name="",
        sender=finished.sender,
        reply_to=None,
        subject=finished.subject,
        text=finished.text,
        html=finished.html,
        kind=finished.kind,
        account_id=account_id or None,
        date=finished.date,
    )
