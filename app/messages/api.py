"""Messages in the JSON API: queue a mail, ask where it is, try it again."""

from typing import Any

import msgspec
from litestar import Request, Response, get, post
from litestar.openapi import ResponseSpec

from app.answers import PAGED, Option, asks, paging_of
from app.base.database import Tx
from app.base.errors import Invalid, NotFound, Problem
from app.messages.entrance import Caller, signature_of
from app.messages.given import GivenMail, queue_given
from app.messages.items import MessageItem, MessagePage, WholeMessage, message_item, whole_message
from app.messages.outgoing import (
    STATES,
    are_held,
    message,
    messages,
    pruned_message,
    tries,
    words_of,
)
from app.messages.retrying import retry_message

GONE = "There is no such message."
#: Octets of a request: text and HTML of the longest, and their escapes.
BODY = 2_500_000


class GivenMessage(msgspec.Struct, forbid_unknown_fields=True):
    """A mail to queue. With an `idempotency_key` it is queued once, for good."""

    to: str
    subject: str
    text: str = ""
    html: str | None = None
    headers: dict[str, str] = {}
    idempotency_key: str | None = None


@post(
    "/messages",
    status_code=202,
    request_max_body_size=BODY,
    responses={
        200: ResponseSpec(
            MessageItem, generate_examples=False, description="The first one under this idempotency_key."
        )
    },
)
async def create_message(caller: Caller, data: GivenMessage) -> Response[MessageItem]:
    """Queue a mail: 202. A known idempotency key: 200, and the first one."""
    given = GivenMail(data.to, data.subject, data.text, data.html, data.headers, data.idempotency_key)
    async with caller.transaction() as tx:
        made, new = await queue_given(tx, given, signature_of(caller))
        told = await _known(tx, made, data.idempotency_key)
    return Response(told, status_code=202 if new else 200)


@get("/messages", opt=asks(*PAGED, Option("state", "Only messages in this state.", one_of=STATES)))
async def list_messages(caller: Caller, request: Request) -> MessagePage:
    """Newest first; `?state=` picks one state."""
    paging, state = paging_of(request), request.query_params.get("state", "")
    if state and state not in STATES:
        raise Invalid([Problem("state", f"There is no state {state!r}; choose one of {', '.join(STATES)}.")])
    after = paging.after(int)
    async with caller.transaction() as tx:
        found = await messages(
            tx,
            holding=await are_held(tx),
            state=state,
            before=after[0] if after else None,
            most=paging.limit + 1,
        )
    shown, following = paging.cut(found, lambda line: (line.id,))
    return MessagePage([message_item(line) for line in shown], following)


@get("/messages/{message_id:str}")
async def show_message(caller: Caller, message_id: str) -> WholeMessage:
    """One message with its tries; what it says, unless it lets somebody in."""
    async with caller.transaction() as tx:
        line = await message(tx, id_of(message_id), holding=await are_held(tx))
        return whole_message(line, await words_of(tx, line), await tries(tx, line.id))


@post("/messages/{message_id:str}/retry", status_code=200)
async def try_again(caller: Caller, message_id: str) -> MessageItem:
    """Try one again that gave up, or that nobody can tell about. Any other: 409 naming its state."""
    async with caller.transaction() as tx:
        return message_item(await retry_message(tx, id_of(message_id)))


async def _known(tx: Tx, message_id: int, key: str | None) -> MessageItem:
    try:
        return message_item(await message(tx, message_id, holding=await are_held(tx)))
    except NotFound:
        return message_item(await pruned_message(tx, message_id, key or ""))


def id_of(given: str) -> int:
    """An id as the API gave it out. Raises NotFound for one that we never made."""
    if not (given.isascii() and given.isdigit() and len(given) < 19):
        raise NotFound(GONE)
    return int(given)


HANDLERS: tuple[Any, ...] = (create_message, list_messages, show_message, try_again)
