"""What webhooks are told of an email, as the API tells it, in the transaction that it is told of (W1).

`broadcast.started` when its audience begins to be read: its undo time is over, readers get it from now on.
`broadcast.finished` and `broadcast.needs_attention` (with the reason) by the job that also mails the team.
"""

from typing import Literal
from uuid import UUID

from app.base.database import Tx
from app.broadcasts.items import broadcast_item
from app.broadcasts.queries import broadcast_view
from app.ledger import Change
from app.mail import standing_refusal
from app.webhooks import News, announce, heard

_OF_MAILING = "select id from broadcast where account_id = :account and mailing_id = :mailing"
_WORDS: dict[Change, Literal["finished", "needs_attention"]] = {
    "finished": "finished",
    "needs_person": "needs_attention",
}


async def tell_started(tx: Tx, broadcast_id: UUID) -> None:
    """Announce that an email began."""
    await _tell(tx, "started", broadcast_id, {}, once=f"broadcast.started:{broadcast_id}")


async def tell_changed(tx: Tx, mailing_id: UUID, change: Change, reason: str, *, once: str) -> None:
    """Announce what became of a mailing's email; with the same `once` again nothing."""
    broadcast_id = await tx.value(_OF_MAILING, account=tx.account_id, mailing=mailing_id)
    if broadcast_id is not None:
        more: dict[str, object] = {"reason": reason} if change == "needs_person" else {}
        await _tell(tx, _WORDS[change], broadcast_id, more, once=f"broadcast.changed:{once}")


async def _tell(tx: Tx, word: str, broadcast_id: UUID, more: dict[str, object], *, once: str) -> None:
    if not await heard(tx):
        return
    view = await broadcast_view(tx, broadcast_id)
    if view is not None:
        told = broadcast_item(view, await standing_refusal(tx))
        await announce(tx, News(f"broadcast.{word}", {"broadcast": told} | more, once=once))
