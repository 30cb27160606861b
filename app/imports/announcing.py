"""What webhooks are told of an import: that it is over, as the API tells it, in the commit that ends it (W1).

It is all that they are told: of its readers and posts there are no events of their own.
"""

from uuid import UUID

from app.base.database import Tx
from app.imports.items import import_item
from app.imports.queries import import_view
from app.webhooks import News, announce, heard


async def tell_finished(tx: Tx, import_id: UUID) -> None:
    """Announce that an import ended, well or not."""
    if not await heard(tx):
        return
    view = await import_view(tx, import_id)
    assert view is not None
    data = {"import": import_item(view)}
    await announce(tx, News("import.finished", data, once=f"import.finished:{import_id}"))
