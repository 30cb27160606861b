"""A filter of readers as a Select."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Select, and_, column, literal, select, table

_KEY = ("account_id", "reader_id", "newsletter_id")
_MAILABLE = table("mailable", *map(column, _KEY))
_SUBSCRIPTION = table("subscription", *map(column, (*_KEY, "changed_at")))


def select_readers(newsletter_id: UUID, *, before: datetime | None = None) -> Select[Any]:
    """Everybody who may be mailed this newsletter now: columns reader_id and variant, in no order.

    `before` leaves out who joined it later: a mailing goes to those who were there when it began.
    """
    chosen: Any = select(_MAILABLE.c.reader_id, literal("full").label("variant")).where(
        _MAILABLE.c.newsletter_id == newsletter_id
    )
    if before is None:
        return chosen
    same = and_(*(_MAILABLE.c[key] == _SUBSCRIPTION.c[key] for key in _KEY))
    return chosen.join(_SUBSCRIPTION, same).where(_SUBSCRIPTION.c.changed_at <= before)
