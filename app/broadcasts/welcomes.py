"""A newsletter's first mail to a reader, in the creator's words, rendered as every mail of ours (R13)."""

from uuid import UUID

from app.accounts import account_of
from app.base import fields
from app.base.database import Tx
from app.base.errors import NotFound
from app.ledger import unsubscribe_token
from app.messages import Welcome, queue_message
from app.posts import to_html, to_text
from app.readers import Newsletter, newsletter, reader, signature

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
    leave = f"{account.site_url}/unsubscribe/{unsubscribe_token(account.id, reader_id, newsletter_id)}"
    values = {"name": found.name, "email": found.email}
    subject, html, text = words_of(stream, values, account.site_url)
    message = Welcome(
        **signature(account, found.email, stream),
        newsletter=stream.name,
        subject=subject,
        html=html,
        text=text,
        unsubscribe_url=leave,
        preferences_url=f"{account.site_url}/me",
    )
    await queue_message(tx, message, key=f"welcome-mail:{newsletter_id}:{reader_id}")
    return ""


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
