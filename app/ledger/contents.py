"""What a mailing says: frozen at its start, and filled in for one reader at a time.

Subject, text and HTML hold marks (app/base/fields.py) where readers differ. They are filled
by us for the place each stands in, keyed by our own ids, so that no provider's template
language ever reads a creator's or a reader's words.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from email.utils import parseaddr
from uuid import UUID, uuid5

from app.base import fields, ids, tokens
from app.base.database import Tx
from app.mail import Mail


@dataclass(frozen=True)
class NewMailing:
    """A mailing to start. `sender` is `Name <addr>`; the texts may hold marks.

    `preview_text` and `preview_html`, both or none, are what sends of the variant `preview` get instead.
    `wait` is the undo time: seconds before its audience is read. `on_change` is the kind of job to enqueue
    when it finishes or needs a person (app/ledger/changes.py).
    """

    source_kind: str
    source_id: UUID
    newsletter_id: UUID
    sender: str
    reply_to: str | None
    subject: str
    text: str
    html: str
    site_url: str
    on_change: str | None = None
    wait: int = 0
    preview_text: str | None = None
    preview_html: str | None = None


@dataclass(frozen=True)
class StartedMailing:
    """A mailing begun: its id, and when its audience may be read."""

    id: UUID
    starts_at: datetime


@dataclass(frozen=True)
class Content:
    """The frozen content of a mailing."""

    account_id: int
    newsletter_id: UUID
    sender: str
    reply_to: str | None
    subject: str
    text: str
    html: str
    site_url: str
    preview_text: str | None = None
    preview_html: str | None = None

    def bodies(self, variant: str) -> tuple[str, str]:
        """Text and HTML of the variant. Raises LookupError where it has none: nobody gets more instead."""
        if variant == "full":
            return self.text, self.html
        if self.preview_text is None or self.preview_html is None:
            raise LookupError("there is no preview for readers without access")
        return self.preview_text, self.preview_html


@dataclass(frozen=True)
class Blanks:
    """What varies per reader, frozen at the claim."""

    reader_id: UUID
    address: str
    name: str
    variant: str = "full"


_START = """
insert into mailing (account_id, id, source_kind, source_id, newsletter_id, sender, reply_to,
                     subject, body_text, body_html, site_url, on_change,
                     preview_text, preview_html, starts_at)
values (:account, :id, :source_kind, :source_id, :newsletter, :sender, :reply_to,
        :subject, :text, :html, :site_url, :on_change,
        :preview_text, :preview_html, godwit_now() + make_interval(secs => :wait))
returning starts_at
"""
_CONTENT = """
select account_id, newsletter_id, sender, reply_to, subject, body_text, body_html, site_url,
       preview_text, preview_html
from mailing where account_id = :account and id = :mailing
"""


async def start_mailing(tx: Tx, new: NewMailing) -> StartedMailing:
    """Begin a mailing in state building, in the transaction of its cause (E1)."""
    mailing_id = ids.new()
    starts_at = await tx.value(
        _START,
        account=tx.account_id,
        id=mailing_id,
        source_kind=new.source_kind,
        source_id=new.source_id,
        newsletter=new.newsletter_id,
        sender=new.sender,
        reply_to=new.reply_to,
        subject=new.subject,
        text=new.text,
        html=new.html,
        site_url=new.site_url,
        on_change=new.on_change,
        preview_text=new.preview_text,
        preview_html=new.preview_html,
        wait=float(new.wait),
    )
    return StartedMailing(mailing_id, starts_at)


async def content_of(tx: Tx, mailing_id: UUID) -> Content:
    """The frozen content of a mailing in the transaction's account."""
    row = await tx.row(_CONTENT, account=tx.account_id, mailing=mailing_id)
    assert row is not None
    return Content(*row)


def delivery_id(batch_id: UUID, reader_id: UUID) -> UUID:
    """The id that names one reader's copy in one batch, in the mail and in the provider's record."""
    return uuid5(batch_id, str(reader_id))


def mail_for(content: Content, batch_id: UUID, blanks: Blanks, date: datetime) -> Mail:
    """One reader's mail, dated when its batch was claimed: the same of all four, the same bytes (L6)."""
    delivery = delivery_id(batch_id, blanks.reader_id)
    values = values_of(content, batch_id, blanks)
    text, html = content.bodies(blanks.variant)
    host = parseaddr(content.sender)[1].rpartition("@")[2] or "localhost"
    return Mail(
        delivery_id=delivery,
        message_id=f"<{delivery}@{host}>",
        to=blanks.address,
        to_name=fields.one_line(blanks.name),
        sender=content.sender,
        reply_to=content.reply_to,
        subject=fields.fill(content.subject, values, "header"),
        text=fields.fill(text, values, "text"),
        html=fields.fill(html, values, "html"),
        headers=_list_headers(values["unsubscribe_url"]),
        kind="broadcast",
        account_id=content.account_id,
        date=date,
    )


def values_of(content: Content, batch_id: UUID, blanks: Blanks) -> dict[str, str]:
    """What fills the marks for one reader's copy in one batch."""
    leave = unsubscribe_token(content.account_id, blanks.reader_id, content.newsletter_id)
    view = tokens.sign("web_view", content.account_id, batch_id, blanks.reader_id)
    return {
        "name": blanks.name,
        "email": blanks.address,
        "unsubscribe_url": f"{content.site_url}/unsubscribe/{leave}",
        "view_url": f"{content.site_url}/mail/{view}",
    }


def unsubscribe_token(account_id: int, reader_id: UUID, newsletter_id: UUID) -> str:
    """What stands in a mail's unsubscribe link. It works for years, and names nobody else."""
    return tokens.sign("unsubscribe", account_id, reader_id, newsletter_id)


def unsubscribe_parts(token: str, account_id: int) -> tuple[UUID, UUID] | None:
    """The reader and newsletter that a token of this account names; None when it is not ours."""
    match tokens.verify("unsubscribe", token):
        case (int() as account, UUID() as reader, UUID() as newsletter) if account == account_id:
            return reader, newsletter
        case _:
            return None


def _list_headers(unsubscribe: str) -> tuple[tuple[str, str], ...]:
    """RFC 2369 and RFC 8058: what mail programs make their unsubscribe button of."""
    return (
        ("List-Unsubscribe", f"<{unsubscribe}>"),
        ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"),
    )


def blanks_of(stored: Mapping[str, list[str]]) -> list[Blanks]:
    """Blanks as the batch keeps them: reader id → [address, name, variant]."""
    return [Blanks(UUID(reader), *values) for reader, values in sorted(stored.items())]
