"""Messages on their way: a job whose arguments are the finished mail."""

from dataclasses import asdict, dataclass, fields
from datetime import datetime
from email.utils import parseaddr
from uuid import UUID

from app.base import clock, ids, tokens
from app.base.addresses import written
from app.base.database import Tx
from app.base.settings import settings
from app.jobs import PROMPT, enqueue, enqueue_platform, job
from app.mail import Mail, MailKind
from app.messages.catalogue import (
    CATALOGUE,
    Message,
    ReaderCode,
    SignInCode,
    TeamInvitation,
    TeamNotice,
    Welcome,
)
from app.messages.rendering import RenderedMessage, render_message

_SECRETS = ("subject", "text", "html")
_KINDS: dict[str, MailKind] = {"reader_code": "code", "confirm_subscription": "confirm"}
#: RFC 3834: what answers mail by itself shall not answer these.
_AUTOMATIC = (("Auto-Submitted", "auto-generated"),)


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


@job("send_reader_code", queue="codes_readers", tries=8, on_unknown="ready", secrets=_SECRETS, backoff=PROMPT)
@dataclass(frozen=True)
class SendReaderCode(FinishedMail):
    """Hand over a reader's sign-in code, as that of a creator; a queue of its own keeps them apart."""


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
    told = {one.name: getattr(message, one.name) for one in fields(message)}
    words = render_message(message.template, **told)
    match message:
        case SignInCode():
            return finished(message.to, words, sender=settings().mail.sender, kind="code")
        case TeamNotice():
            return finished(message.to, words, sender=settings().mail.sender, kind="message")
        case TeamInvitation():
            return finished(
                message.to,
                words,
                sender=settings().mail.sender,
                kind="message",
                reply_to=message.inviter_email,
                headers=_AUTOMATIC,
            )
    kind, headers = _KINDS.get(message.template, "message"), _AUTOMATIC
    if isinstance(message, Welcome):
        headers = list_headers(message.unsubscribe_url)
    return finished(
        message.to, words, sender=message.sender, kind=kind, reply_to=message.reply_to, headers=headers
    )


def list_headers(unsubscribe: str) -> tuple[tuple[str, str], ...]:
    """RFC 2369 and RFC 8058: what mail programs make their unsubscribe button of."""
    return (
        ("List-Unsubscribe", f"<{unsubscribe}>"),
        ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"),
    )


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


async def queue_message(
    tx: Tx, message: Message, *, key: str | None = None, run_at: datetime | None = None
) -> int | None:
    """Queue a message with its cause; its job's id, or None when the key is known (M1).

    A creator's code is the platform's; everything else belongs to the transaction's account.
    """
    mail = finish(message)
    if isinstance(message, SignInCode):
        return await enqueue_platform(
            tx, SendCreatorCode(**asdict(mail)), key=key, expires_at=message.expires_at
        )
    if isinstance(message, ReaderCode):
        return await enqueue(tx, SendReaderCode(**asdict(mail)), key=key, expires_at=message.expires_at)
    return await queue_finished(tx, mail, name=message.template, key=key, run_at=run_at)


async def queue_finished(
    tx: Tx, mail: FinishedMail, *, name: str, key: str | None, run_at: datetime | None = None
) -> int | None:
    """Queue a finished mail of the account under its name in the catalogue."""
    return await enqueue(tx, SendMessage(**asdict(mail), mail=name, key=key), key=key, run_at=run_at)


def spellings(key: str) -> list[str]:
    """What a message's key may stand as: itself, or its hash under each secret."""
    return [key, *(f"hash:{hashed.hex()}" for hashed in tokens.keyed_hashes("message_key", key))]


async def forget_messages(tx: Tx, address: str) -> int:
    """Take an erased reader's canonical address out of the account's messages; what waits is discarded.

    A key that names it is known by its hash from here on: it answers for good (M1).
    """
    for row in await tx.rows("select message_keys_naming(:written) as key", written=written(address)):
        await tx.execute("select hash_message_key(:key, :hash)", key=row.key, hash=spellings(row.key)[1])
    return await tx.value("select forget_messages(:address)", address=address)


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
