"""What webhooks are told of a reader's plan, in the transaction of the change (W1).

`subscription.started` when a plan is given, `subscription.ended` when that is ended before its time; an end
that was set beforehand stands in `ends_at`, and passes in silence. What an import brings is told by
`import.finished` alone.
"""

from typing import Literal
from uuid import UUID

from app.base.database import Tx
from app.plans.items import access_item
from app.plans.queries import given
from app.webhooks import News, announce, heard


async def tell_access(tx: Tx, word: Literal["started", "ended"], entitlement_id: UUID) -> None:
    """Announce an entitlement that was made or ended."""
    if not await heard(tx):
        return
    one = await given(tx, entitlement_id)
    if one is not None:
        data = {"subscription": access_item(one)}
        await announce(tx, News(f"subscription.{word}", data, reader=one.reader_id))
