"""A newsletter's first mail to a reader, in the creator's words, rendered as every mail of ours (R13)."""

from dataclasses import fields as dataclass_fields
from uuid import UUID

from app.accounts import Account, account_of
from app.base import fields
from app.base.database import Tx
from app.base.errors import NotFound
from app.ledger import unsubscribe_token
from app.messages import RenderedMessage, Welcome, queue_message, render_message
from app.posts import to_html, to_text
from app.readers import Newsletter, ReaderView, newsletter, reader, signature

SUBJECT = "Welcome to {newsletter}"


async def welcome_reader(tx: Tx, reader_id: UUID, newsletter_id: UUID) -> str:
    """Queue it; '' when it was, else why nobody is mailed."""
    found = await reader(tx, reader_id)
    if found is None:
        return "the reader is gone"
    try:
        stream = await newsletter(tx, newsletter_id)
    except NotFound:
        return "the newsletter is gone"
    mine = next((one for one in found.subscriptions if one.newsletter_id == newsletter_id), None)
    if mine is None or mine.state != "active" or found.state == "suppressed":
        return "the reader left before it went"
    if not stream.welcome or not stream.welcome_markdown.strip():
        return "the newsletter has no welcome mail any more"
    account = await account_of(tx)
    await queue_message(tx, _welcome(account, stream, found), key=f"welcome-mail:{newsletter_id}:{reader_id}")
    return ""


def specimen(account: Account, stream: Newsletter) -> RenderedMessage:
    """The mail as a reader with a made-up name would get it."""
    told = _welcome(account, stream, None)
    return render_message(
        told.template, **{one.name: getattr(told, one.name) for one in dataclass_fields(told)}
    )


def _welcome(account: Account, stream: Newsletter, found: ReaderView | None) -> Welcome:
    email, name = (found.email, found.name) if found else ("anna@example.org", "Anna")
    token = unsubscribe_token(account.id, found.id, stream.id) if found else "…"
    subject, html, text = words_of(stream, {"name": name, "email": email}, account.site_url)
    return Welcome(
        **signature(account, email, stream),
        newsletter=stream.name,
        subject=subject,
        html=html,
        text=text,
        unsubscribe_url=f"{account.site_url}/unsubscribe/{token}",
        preferences_url=f"{account.site_url}/me",
    )


def words_of(stream: Newsletter, values: dict[str, str], site_url: str) -> tuple[str, str, str]:
    """Subject, HTML and text for one reader: fields filled, HTML sanitised by posts."""
    base = site_url + "/"
    subject = stream.welcome_subject or SUBJECT.replace("{newsletter}", stream.name)
    html = to_html(stream.welcome_markdown, fields=True, base_url=base)
    text = to_text(stream.welcome_markdown, fields=True, base_url=base)
    return (
        fields.fill(fields.mark(subject), values, "header"),
        fields.fill(html, values, "html"),
        fields.fill(text, values, "text"),
    )
