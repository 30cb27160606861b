"""What a team is told by mail of its webhooks: one was switched off, why, and what to do."""

from urllib.parse import urlsplit
from uuid import UUID

from app.base.database import Tx
from app.base.settings import settings
from app.messages import TeamNotice, queue_message
from app.webhooks import EndpointState, endpoint_if_there

_ACCOUNT = "select slug, name from account where id = :account and state = 'active'"
_TEAM = "select address from account_notice(:account)"
_MEANWHILE = (
    "What waited for it is held, and goes out once it is on again. Of what happens meanwhile"
    " it then hears of the newest published version; the rest is kept for 30 days, to be delivered from its"
    " page."
)


async def tell_of_webhook(tx: Tx, endpoint_id: UUID, url: str, reason: str, *, once: str) -> bool:
    """Queue a mail to each of the team, once for each `once`; False when it is not off any more.

    The mail names the webhook and its host alone: the rest of an address may be what lets anybody post there.
    """
    row = await tx.row(_ACCOUNT, account=tx.account_id)
    there = await endpoint_if_there(tx, endpoint_id)
    if row is None or there is None or there.state != EndpointState.DISABLED:
        return False
    host = urlsplit(url).netloc.rpartition("@")[2]
    called = f"“{there.description}” ({host})" if there.description else f"to {host}"
    for one in await tx.rows(_TEAM, account=tx.account_id):
        notice = TeamNotice(
            to=one.address,
            subject=f"{row.name}: the webhook {called} was switched off",
            lines=(f"{reason.rstrip('. ')}.", _MEANWHILE),
            link=f"{settings().base_url}/studio/{row.slug}/endpoints/{endpoint_id}",
            link_words="See what it answered",
            publication=row.name,
        )
        await queue_message(tx, notice, key=f"webhook:{once}:{one.address}")
    return True
