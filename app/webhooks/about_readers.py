"""What webhooks were told of one reader: for the reader's own copy, and taken back when they are erased."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from app.base.database import Tx

_ABOUT = "select created_at, type from event where reader_id = :reader order by id"
_FORGET = "select forget_events(:reader, :written, :instead)"


@dataclass(frozen=True)
class ToldOf:
    """That something of a reader was announced."""

    at: datetime
    type: str


async def events_about(tx: Tx, reader_id: UUID) -> list[ToldOf]:
    """What was announced of a reader, as long as events are kept, oldest first."""
    return [ToldOf(*row) for row in await tx.rows(_ABOUT, reader=reader_id)]


async def forget_events(tx: Tx, reader_id: UUID, written: str, instead: str) -> None:
    """Of events about the reader the id stays; those that nobody was sent yet are not sent.

    What receivers answered to them goes. In other events whatever `written` matches reads `instead`.
    """
    await tx.execute(_FORGET, reader=reader_id, written=written, instead=instead)
