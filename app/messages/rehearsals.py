"""Test mails of a creator to themselves: rendered elsewhere, queued and listed like every message."""

from app.base.database import Tx
from app.messages.outbox import finished, queue_finished
from app.messages.rendering import RenderedMessage


async def queue_rehearsal(
    tx: Tx, *, to: str, sender: str, reply_to: str | None, subject: str, text: str, html: str
) -> None:
    """Queue a mail that is finished but for its ids. `sender` is the From header's value."""
    mail = finished(
        to, RenderedMessage(subject, text, html), sender=sender, kind="message", reply_to=reply_to
    )
    await queue_finished(tx, mail, name="test_mail", key=None)
