"""What webhooks are told of readers: in the transaction of the change (W1), each as the API tells it.

| event               | when                                                                     |
|---------------------|--------------------------------------------------------------------------|
| reader.subscribed   | the team or a program subscribed them, with consent                      |
| reader.confirmed    | they subscribed by their own word: a mailed link, or signed in           |
| reader.unsubscribed | they left one newsletter or more, whoever did it                         |
| reader.suppressed   | their address was blocked                                                |
| reader.erased       | they were erased; all it tells is the id                                 |

One event a reader and act: `newsletters` are those that the act was about. Whoever asked and has not
confirmed is told to nobody (R8), and what an import does is told by `import.finished` alone.
"""

from collections.abc import Mapping
from typing import Literal
from uuid import UUID

from app.base.database import Tx
from app.readers.items import ErasedReader, reader_item
from app.readers.queries import ReaderView, find_reader, readers_by_id
from app.suppressions import Reason
from app.webhooks import News, announce, heard

Act = Literal["subscribed", "confirmed", "unsubscribed"]
#: Readers, each with a newsletter that they joined or left.
Moved = list[tuple[UUID, UUID]]


async def tell_moved(tx: Tx, moved: Mapping[Act, Moved]) -> None:
    """Announce who joined and left what. To be called last, so that it tells what the commit will."""
    if not any(moved.values()) or not await heard(tx):
        return
    readers = await readers_by_id(tx, list({reader for pairs in moved.values() for reader, _ in pairs}))
    for act, pairs in moved.items():
        about: dict[UUID, set[UUID]] = {}
        for reader_id, newsletter_id in pairs:
            about.setdefault(reader_id, set()).add(newsletter_id)
        there = (one for one in about if one in readers)
        news = [News(f"reader.{act}", _data(readers[one], about[one]), reader=one) for one in there]
        await announce(tx, *news)


async def tell_blocked(tx: Tx, address: str, reason: Reason) -> None:
    """Announce that a canonical address was blocked, if it is a reader's."""
    if not await heard(tx):
        return
    found = await find_reader(tx, address)
    if found is not None:
        data = {"reader": reader_item(found), "reason": reason}
        await announce(tx, News("reader.suppressed", data, reader=found.id))


async def tell_erased(tx: Tx, reader_id: UUID) -> None:
    """Announce that a reader is gone, by the id under which they were told of."""
    data = {"reader": ErasedReader(str(reader_id))}
    await announce(tx, News("reader.erased", data, reader=reader_id))


def _data(view: ReaderView, newsletters: set[UUID]) -> dict[str, object]:
    slugs = [one.slug for one in view.subscriptions if one.newsletter_id in newsletters]
    return {"reader": reader_item(view), "newsletters": slugs}
