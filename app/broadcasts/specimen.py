"""The mail of a broadcast to look at: the frozen content, filled for a sample reader."""

from dataclasses import dataclass

from app.base import fields
from app.ledger import Content

ADDRESS, NAME = "anna@example.org", "Anna Berg"
#: In place of the link that every reader has for themselves: pressing it here leaves nobody out.
_NOBODY = "#each-reader-has-a-link-of-their-own"


@dataclass(frozen=True)
class Specimen:
    """One mail to read: its headers for people, its text, its HTML."""

    sender: str
    to: str
    reply_to: str | None
    subject: str
    text: str
    html: str


def sample_values(*, nameless: bool = False) -> dict[str, str]:
    """What fills the marks for Anna, or for a reader of whom only the address is known."""
    return {
        "name": "" if nameless else NAME,
        "email": ADDRESS,
        "unsubscribe_url": _NOBODY,
        "view_url": _NOBODY,
    }


def specimen(content: Content, *, nameless: bool = False, preview: bool = False) -> Specimen:
    """Fill the frozen content for Anna, or for a reader of whom only the address is known.

    `preview`: what readers without access get; of a mail that has none, what everybody gets.
    """
    variant = "preview" if preview and content.preview_html is not None else "full"
    body_text, body_html = content.bodies(variant)
    values = sample_values(nameless=nameless)
    name = values["name"]
    return Specimen(
        sender=content.sender,
        to=f"{name} <{ADDRESS}>" if name else ADDRESS,
        reply_to=content.reply_to,
        subject=fields.fill(content.subject, values, "header"),
        text=fields.fill(body_text, values, "text"),
        html=fields.fill(body_html, values, "html"),
    )
