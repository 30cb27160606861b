"""What an unsubscribe link leads to: the page with its button, and what the button does (R5)."""

from dataclasses import dataclass, replace
from typing import Literal

from litestar import Response

from app.accounts import SiteVisit
from app.answers import page
from app.base.addresses import display
from app.base.database import Tx
from app.base.errors import NotFound
from app.ledger import unsubscribe_parts
from app.readers.erasure import was_erased
from app.readers.queries import reader
from app.readers.streams import newsletter
from app.readers.subscriptions import unsubscribe

State = Literal["ask", "done", "already", "erased", "invalid"]


@dataclass(frozen=True)
class UnsubscribePage:
    """What the theme's unsubscribe.html is given; the button posts to `action`."""

    state: State
    address: str = ""
    newsletter_name: str = ""
    action: str = ""
    newsletter_slug: str = ""


async def unsubscribe_page(tx: Tx, token: str) -> UnsubscribePage:
    """What a link shows before anything is done. Changes nothing."""
    parts = unsubscribe_parts(token, tx.account_id or 0)
    if parts is None:
        return UnsubscribePage("invalid")
    reader_id, newsletter_id = parts
    found = await reader(tx, reader_id)
    try:
        stream = await newsletter(tx, newsletter_id)
    except NotFound:
        return UnsubscribePage("invalid")
    if found is None:
        return UnsubscribePage("erased" if await was_erased(tx, reader_id) else "invalid")
    address = display(found.email)
    left = all(
        one.state == "unsubscribed" for one in found.subscriptions if one.newsletter_id == newsletter_id
    )
    if left:
        return UnsubscribePage("already", address, stream.name, newsletter_slug=stream.slug)
    return UnsubscribePage("ask", address, stream.name, f"/unsubscribe/{token}", stream.slug)


async def unsubscribe_by_link(tx: Tx, token: str, how: str) -> UnsubscribePage:
    """Unsubscribe whom the link names from its newsletter; a second time changes nothing."""
    shown = await unsubscribe_page(tx, token)
    parts = unsubscribe_parts(token, tx.account_id or 0)
    if shown.state not in ("ask", "already") or parts is None:
        return shown
    await unsubscribe(tx, *parts, how)
    return shown if shown.state == "already" else replace(shown, state="done", action="")


def unsubscribe_response(visit: SiteVisit, shown: UnsubscribePage) -> Response[str]:
    """The page on the account's site: 404 for a link that we did not make."""
    return page(
        "themes/plain/unsubscribe.html",
        status=404 if shown.state == "invalid" else 200,
        headers={"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"},
        site=visit.frame(),
        unsubscribe=shown,
    )
