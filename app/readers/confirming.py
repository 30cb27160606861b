"""What a confirmation link leads to: a page with a button, and what the button does (R7)."""

from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from app.base import tokens
from app.base.addresses import display
from app.base.database import Tx
from app.base.statements import sql
from app.jobs import enqueue
from app.readers.announcing import tell_moved
from app.readers.jobs import WelcomeReader
from app.readers.sign_up import PURPOSE
from app.suppressions import may_unblock, recall, suppression_of, unblock

State = Literal["ask", "done", "already", "left", "blocked", "gone"]

_LINK = """
select r.email, c.used_at is not null as used, c.expires_at <= godwit_now() as late,
       array(select n.name from newsletter n
             where n.account_id = c.account_id and n.id = any (c.newsletter_ids)
             order by n.is_default desc, n.name) as names
from confirmation c join reader r on r.account_id = c.account_id and r.id = c.reader_id
where c.token_hash = any (:hashes)
"""
_LEFT = """
select exists (select from subscription where reader_id = :reader and state = 'unsubscribed'
               and newsletter_id = any (cast(:ids as uuid[])))
"""
_WELCOMING = "select id from newsletter where welcome and id = any (cast(:ids as uuid[]))"


@dataclass(frozen=True)
class ConfirmPage:
    """`left`: they unsubscribed after asking, which holds; `blocked`: so does a block, of the team or newer
    than the link. The button posts to `action`.
    """

    state: State
    address: str = ""
    names: tuple[str, ...] = ()
    action: str = ""


async def confirm_page(tx: Tx, token: str) -> ConfirmPage:
    """What a link shows before anything is done. Changes nothing."""
    row = await tx.row(_LINK, hashes=tokens.keyed_hashes(PURPOSE, token))
    if row is None or (row.late and not row.used):
        return ConfirmPage("gone")
    address, names = display(row.email), tuple(row.names)
    if row.used:
        return ConfirmPage("already", address, names)
    return ConfirmPage("ask", address, names, f"/confirm/{token}")


async def confirm(tx: Tx, token: str) -> ConfirmPage:
    """Subscribe whoever has the link, lift what is theirs to lift, welcome them; twice is once."""
    shown = await confirm_page(tx, token)
    if shown.state != "ask":
        return shown
    done = await tx.row(sql(__package__, "confirm"), hashes=tokens.keyed_hashes(PURPOSE, token))
    if done is None:  # the same button, pressed twice at one instant
        return await confirm_page(tx, token)
    await recall(tx, [done.email])  # a block that is not theirs to lift has to hold for who returns
    block = await suppression_of(tx, done.email)
    if block and may_unblock(block.reason, "reader"):
        await unblock(
            tx, done.email, by="reader", because="confirmed by a mailed link", before=done.created_at
        )
    await welcome(tx, done.reader_id, done.newsletters)
    await tell_moved(tx, {"confirmed": [(done.reader_id, one) for one in done.newsletters]})
    if await suppression_of(tx, done.email):
        return ConfirmPage("blocked", shown.address, shown.names)
    left = await tx.value(_LEFT, reader=done.reader_id, ids=done.asked)
    return ConfirmPage("left" if left else "done", shown.address, shown.names)


async def welcome(tx: Tx, reader_id: UUID, newsletters: list[UUID]) -> None:
    """Have the first mail of each newsletter that has one sent; its key lets it go once, for good (R13)."""
    for row in await tx.rows(_WELCOMING, ids=newsletters):
        await enqueue(tx, WelcomeReader(reader_id, row.id))
