"""The mailbox for testers: the mails that match, at once or as soon as one arrives."""

import asyncio
from base64 import b64encode
from typing import Any

from app.answers import iso
from app.base.database import Database
from app.mail import MailFilter, MailView, mails

LOOK = 0.05


async def mails_or_wait(database: Database, wanted: MailFilter, *, most: int, wait: float) -> list[MailView]:
    """What matches, newest first; when nothing does, the first that arrives within `wait` seconds."""
    loop = asyncio.get_running_loop()
    until = loop.time() + wait
    while True:
        async with database.transaction() as tx:
            found = await mails(tx, wanted, most=most)
        if found or loop.time() >= until:
            return found
        await asyncio.sleep(min(LOOK, max(0.0, until - loop.time())))


def mail_json(mail: MailView) -> dict[str, Any]:
    """A mail as testers get it; `raw_base64` is exactly as handed over."""
    return {
        "id": str(mail.id),
        "at": iso(mail.received_at),
        "kind": mail.kind,
        "to": mail.to,
        "from": mail.sender,
        "subject": mail.subject,
        "text": mail.text,
        "html": mail.html,
        "headers": [{"name": name, "value": value} for name, value in mail.headers],
        "raw_base64": b64encode(mail.raw).decode(),
        "code": mail.code or None,
        "links": list(mail.links),
    }
