"""Messages on their way: a job whose arguments are the finished mail."""

from dataclasses import asdict, dataclass
from datetime import datetime
from email.utils import parseaddr
from uuid import UUID

from app.base import clock, ids
from app.base.database import Tx
from app.base.settings import settings
from app.jobs import PROMPT, enqueue, enqueue_platform, job
from app.mail import Mail, MailKind
from app.messages.catalogue import CATALOGUE, Message, SignInCode, TeamNotice
from app.messages.rendering import RenderedMessage, render_message

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
    html: str | None
    kind: MailKind
    date: datetime
    reply_to: str | None = None
    headers: tuple[tuple[str, str], ...] = ()


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


@job("send_message", queue="messages", tries=8, on_unknown="ready")
@dataclass(frozen=True)
class SendMessage(FinishedMail):
    """Hand over a message of an account. `mail` is its name in the catalogue, `key` what it was asked under.

    Unknown: ready, and its next try finds out first whether it went (jobs.py).
    """

    mail: str = "own"
    key: str | None = None

    @property
    def repeatable(self) -> bool:
        """Whether getting it twice does no harm."""
        return CATALOGUE[self.mail].repeatable


def finish(message: Message) -> FinishedMail:
    """Render a message and give it its ids; nothing is queued."""
    match message:
        case SignInCode():
            words = render_message(
                message.template, code=message.code, minutes=message.minutes, link=message.link
            )
            return finished(message.to, words, sender=settings().mail.sender, kind="code")
        case TeamNotice():
            words = render_message(
                message.template,
                subject=message.subject,
                lines=message.lines,
                link=message.link,
                link_words=message.link_words,
                publication=message.publication,
            )
            return finished(message.to, words, sender=settings().mail.sender, kind="message")


def finished(
    to: str,
    words: RenderedMessage,
    *,
    sender: str,
    kind: MailKind,
    reply_to: str | None = None,
    headers: tuple[tuple[str, str], ...] = (),
) -> FinishedMail:
    """A mail with ids of its own, so that every try of it is the same mail."""
    delivery_id = ids.new()
    domain = parseaddr(sender)[1].rpartition("@")[2]
    return FinishedMail(
        delivery_id=delivery_id,
        message_id=f"<{delivery_id.hex}@{domain}>",
        to=to,
        sender=sender,
        subject=words.subject,
        text=words.text,
        html=words.html,
        kind=kind,
        date=clock.now(),
        reply_to=reply_to,
        headers=headers,
    )


async def queue_message(tx: Tx, message: Message, *, key: str | None = None) -> int | None:
    """Queue a message with its cause; its job's id, or None when the key is known (M1).

    A code is the platform's; everything else belongs to the transaction's account.
    """
    mail = finish(message)
    if isinstance(message, SignInCode):
        return await enqueue_platform(
            tx, SendCreatorCode(**asdict(mail)), key=key, expires_at=message.expires_at
        )
    return await queue_finished(tx, mail, name=message.template, key=key)


async def queue_finished(tx: Tx, mail: FinishedMail, *, name: str, key: str | None) -> int | None:
    """Queue a finished mail of the account under its name in the catalogue."""
    return await enqueue(tx, SendMessage(**asdict(mail), mail=name, key=key), key=key)


def as_mail(finished: FinishedMail, account_id: int) -> Mail:
    """The mail to hand over."""
    return Mail(
        delivery_id=finished.delivery_id,
        message_id=finished.message_id,
        to=finished.to,
        to_name="",
        sender=finished.sender,
        reply_to=finished.reply_to,
        subject=finished.subject,
        text=finished.text,
        html=finished.html,
        headers=finished.headers,
        kind=finished.kind,
        account_id=account_id or None,
        date=finished.date,
    )
