"""A mail in one line."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

from app.mail import Mail

DATE = datetime(2026, 11, 30, 9, 30, tzinfo=UTC)


def make_mail(**changes: Any) -> Mail:
    """An ordinary broadcast mail to Anna, with what the test changes."""
    delivery_id: UUID = changes.pop("delivery_id", None) or uuid4()
    mail = Mail(
        delivery_id=delivery_id,
        message_id=f"<{delivery_id}@example.org>",
        to="anna@example.com",
        to_name="Anna",
        sender="The Godwit <post@example.org>",
        reply_to=None,
        subject="The bird that does not land",
        text="Hello Anna",
        html="<p>Hello Anna</p>",
        kind="broadcast",
        account_id=1,
        date=DATE,
    )
    return replace(mail, **changes)
