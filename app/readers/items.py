"""What the API says of readers and newsletters."""

from datetime import datetime

from msgspec import Struct

from app.ledger import ReaderSend
from app.readers.queries import ReaderView
from app.readers.states import ReaderState, SubscriptionState
from app.readers.streams import Newsletter


class NewsletterItem(Struct):
    """A newsletter. A reader who is added without a choice gets the `default` one."""

    id: str
    slug: str
    name: str
    default: bool


class NewsletterList(Struct):
    """All of them, the default one first; `next` is null: there is no second page."""

    items: list[NewsletterItem]
    next: str | None


class ConsentItem(Struct):
    """Where somebody agreed to a newsletter, and when."""

    source: str
    at: datetime


class SubscriptionItem(Struct):
    """A reader's part in one newsletter, in this state since `changed_at`."""

    newsletter: str
    state: SubscriptionState
    consent: ConsentItem
    changed_at: datetime


class ReaderItem(Struct):
    """A reader. `newsletters` are the slugs of what they get, or would once confirmed.

    `state`: pending (asked, not confirmed), active, unsubscribed (from everything), suppressed (a blocked
    address). `source` is how they came, `extra` what the table that brought them said beside.
    """

    id: str
    email: str
    name: str
    state: ReaderState
    newsletters: list[str]
    subscriptions: list[SubscriptionItem]
    tags: list[str]
    note: str
    source: str
    extra: dict[str, str]
    joined_at: datetime


class ErasedReader(Struct):
    """What an event tells of a reader who was erased: the id that they had."""

    id: str


class KnownReader(ReaderItem):
    """A reader who was there already; `notice` says so in a sentence."""

    notice: str


class ReaderPage(Struct):
    """Readers, newest first, and the cursor of the next page."""

    items: list[ReaderItem]
    next: str | None


class ReaderSendItem(Struct):
    """One mail to a reader: the email's id, where its copy is, and since when."""

    broadcast: str
    subject: str
    state: str
    reason: str | None
    at: datetime


class ReaderSendPage(Struct):
    """Mails to one reader, newest first, and the cursor of the next page."""

    items: list[ReaderSendItem]
    next: str | None


def newsletter_item(one: Newsletter) -> NewsletterItem:
    """The representation of a newsletter."""
    return NewsletterItem(str(one.id), one.slug, one.name, one.is_default)


def reader_item(view: ReaderView) -> ReaderItem:
    """The representation of a reader."""
    return ReaderItem(
        id=str(view.id),
        email=view.email,
        name=view.name,
        state=view.state,
        newsletters=list(view.newsletters),
        subscriptions=[
            SubscriptionItem(
                newsletter=one.slug,
                state=one.state,
                consent=ConsentItem(one.consent_source, one.consent_at),
                changed_at=one.changed_at,
            )
            for one in view.subscriptions
        ],
        tags=list(view.tags),
        note=view.note,
        source=view.source,
        extra=view.extra,
        joined_at=view.joined_at,
    )


def send_item(send: ReaderSend) -> ReaderSendItem:
    """The representation of a mail to a reader."""
    return ReaderSendItem(str(send.source_id), send.subject, send.state, send.reason, send.at)
