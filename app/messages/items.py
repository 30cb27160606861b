"""What the API says of a message."""

from datetime import datetime

import msgspec
from msgspec import UNSET, Struct, UnsetType, structs

from app.messages.outgoing import MessageLine, Try, Words


class MessageItem(Struct):
    """A message. `mail` is its kind: `own` for one that a program queued.

    `state`: pending, in_progress, retrying (at `next_at`), sent, dead, held or discarded; `reason` says why.
    A known idempotency_key may also answer pruned: over so long ago that nobody knows any more whether it was
    sent.
    `subject` is null where it lets somebody in.
    """

    id: str
    mail: str
    to: str
    subject: str | None
    state: str
    reason: str | None
    attempts: int
    next_at: datetime | None
    idempotency_key: str | None
    created_at: datetime
    finished_at: datetime | None


class TryItem(Struct):
    """One try, as it ended. `late`: somebody else held the message by then."""

    number: int
    started_at: datetime
    duration_ms: int
    outcome: str
    late: bool
    reason: str | None


class WholeMessage(MessageItem):
    """A message with its tries; `from`, `text`, `html` and `headers` unless it lets somebody in."""

    tries: list[TryItem]
    sender: str | UnsetType = msgspec.field(name="from", default=UNSET)
    text: str | UnsetType = UNSET
    html: str | UnsetType | None = UNSET
    headers: dict[str, str] | UnsetType = UNSET


class MessagePage(Struct):
    """Messages, newest first, and the cursor of the next page."""

    items: list[MessageItem]
    next: str | None


def message_item(line: MessageLine) -> MessageItem:
    """The representation of a message."""
    return MessageItem(
        id=str(line.id),
        mail=line.mail,
        to=line.to,
        subject=None if line.entry.lets_in else line.subject,
        state=line.state,
        reason=line.reason,
        attempts=line.attempts,
        next_at=line.next_at if line.state != "held" else None,
        idempotency_key=line.key,
        created_at=line.created_at,
        finished_at=line.finished_at,
    )


def whole_message(line: MessageLine, words: Words | None, tried: list[Try]) -> WholeMessage:
    """The same with its tries, and with what it says if that may be told."""
    told = WholeMessage(**structs.asdict(message_item(line)), tries=[_try(one) for one in tried])
    if words is not None:
        told.sender, told.text, told.html = words.sender, words.text, words.html
        told.headers = dict(words.headers)
    return told


def _try(one: Try) -> TryItem:
    return TryItem(
        number=one.number,
        started_at=one.started_at,
        duration_ms=round((one.ended_at - one.started_at).total_seconds() * 1000),
        outcome=one.outcome,
        late=one.late,
        reason=one.reason,
    )
