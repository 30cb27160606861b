"""Broadcasts in the JSON API: what went out, how far it is, who got it."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any
from uuid import UUID

from litestar import Request, get, post
from msgspec import structs

from app.accounts import ApiCaller
from app.answers import PAGED, Option, asks, paging_of
from app.base.database import Tx
from app.base.errors import Invalid, NotFound, Problem
from app.broadcasts import acts
from app.broadcasts.copies import copies
from app.broadcasts.items import (
    AddedBroadcast,
    BroadcastItem,
    BroadcastPage,
    Decision,
    ResolvedBroadcast,
    RetriedBroadcast,
    SendPage,
    broadcast_item,
    send_item,
)
from app.broadcasts.queries import broadcast_view, broadcasts
from app.ledger import SendState
from app.mail import standing_refusal

GONE = "There is no such broadcast."


@get("/broadcasts", opt=asks(*PAGED))
async def list_broadcasts(caller: ApiCaller, request: Request) -> BroadcastPage:
    """Every broadcast, newest first."""
    paging = paging_of(request)
    async with caller.transaction() as tx:
        found = await broadcasts(tx, before=paging.after(datetime, UUID), most=paging.limit + 1)
        refusal = await standing_refusal(tx)
    shown, following = paging.cut(found, lambda view: (view.pressed_at, view.id))
    return BroadcastPage([broadcast_item(view, refusal) for view in shown], following)


@get("/broadcasts/{broadcast_id:uuid}")
async def show_broadcast(caller: ApiCaller, broadcast_id: UUID) -> BroadcastItem:
    """One broadcast. `audience` is the sum of sent, failed, skipped, unknown and to_go, at every moment."""
    async with caller.transaction() as tx:
        view = await broadcast_view(tx, broadcast_id)
        refusal = await standing_refusal(tx)
    if view is None:
        raise NotFound(GONE)
    return broadcast_item(view, refusal)


@get(
    "/broadcasts/{broadcast_id:uuid}/sends",
    opt=asks(*PAGED, Option("state", "Only sends in this state.", one_of=tuple(SendState))),
)
async def list_sends(caller: ApiCaller, request: Request, broadcast_id: UUID) -> SendPage:
    """Who got it, and who did not and why; `?state=` picks one state."""
    paging, state = paging_of(request), request.query_params.get("state", "")
    if state and state not in list(SendState):
        known = ", ".join(SendState)
        raise Invalid([Problem("state", f"There is no state {state!r}; choose one of {known}.")])
    after = paging.after(UUID)
    async with caller.transaction() as tx:
        view = await broadcast_view(tx, broadcast_id)
        if view is None:
            raise NotFound(GONE)
        before = after[0] if after else None
        found = await copies(tx, view.mailing.id, state=state, before=before, most=paging.limit + 1)
    shown, following = paging.cut(found, lambda copy: (copy.reader_id,))
    return SendPage([send_item(copy) for copy in shown], following)


@post("/broadcasts/{broadcast_id:uuid}/pause", status_code=200)
async def pause_broadcast(caller: ApiCaller, broadcast_id: UUID) -> BroadcastItem:
    """Nothing more is handed over; what is with the provider already still arrives."""
    return (await _acted(caller, broadcast_id, lambda tx, one: acts.pause(tx, one, _who(caller))))[0]


@post("/broadcasts/{broadcast_id:uuid}/resume", status_code=200)
async def resume_broadcast(caller: ApiCaller, broadcast_id: UUID) -> BroadcastItem:
    """It goes on where it stopped; nobody who has it is mailed again."""
    return (await _acted(caller, broadcast_id, acts.resume))[0]


@post("/broadcasts/{broadcast_id:uuid}/cancel", status_code=200)
async def cancel_broadcast(caller: ApiCaller, broadcast_id: UUID) -> BroadcastItem:
    """It stops for good; `undone` when nobody was mailed, and the post can be mailed as if never before."""
    return (await _acted(caller, broadcast_id, lambda tx, one: acts.cancel(tx, one, _who(caller))))[0]


@post("/broadcasts/{broadcast_id:uuid}/retry-failed", status_code=200)
async def retry_failed(caller: ApiCaller, broadcast_id: UUID) -> RetriedBroadcast:
    """The failed sends are planned again; `retried` says how many."""
    one, retried = await _acted(caller, broadcast_id, acts.retry_failed)
    return RetriedBroadcast(**structs.asdict(one), retried=retried)


@post("/broadcasts/{broadcast_id:uuid}/send-to-missing", status_code=200)
async def send_to_missing(caller: ApiCaller, broadcast_id: UUID) -> AddedBroadcast:
    """Readers in the audience now who have no send get one; `added` says how many. Unknown ones are left."""
    one, added = await _acted(caller, broadcast_id, acts.send_to_missing)
    return AddedBroadcast(**structs.asdict(one), added=added)


@post("/broadcasts/{broadcast_id:uuid}/resolve", status_code=200)
async def resolve_unknown(caller: ApiCaller, broadcast_id: UUID, data: Decision) -> ResolvedBroadcast:
    """A person settles unknown sends; `resolved` says how many."""
    readers = None if data.readers == "all" else [_reader(one) for one in data.readers]
    one, resolved = await _acted(
        caller, broadcast_id, lambda tx, one: acts.settle_unsure(tx, one, data.as_, readers, _who(caller))
    )
    return ResolvedBroadcast(**structs.asdict(one), resolved=resolved)


async def _acted(
    caller: ApiCaller, broadcast_id: UUID, act: Callable[[Tx, UUID], Awaitable[acts.Done]]
) -> tuple[BroadcastItem, int]:
    """Act, and answer the broadcast as it stands after it, in one transaction; and to how many sends."""
    async with caller.transaction() as tx:
        done = await act(tx, broadcast_id)
        view = await broadcast_view(tx, broadcast_id)
        refusal = await standing_refusal(tx)
    assert view is not None
    return broadcast_item(view, refusal), done.count


def _who(caller: ApiCaller) -> str:
    return f"API key {caller.key_name}"


def _reader(given: str) -> UUID:
    try:
        return UUID(given)
    except ValueError as error:
        raise Invalid([Problem("readers", f"{given!r} is no reader's id.")]) from error


HANDLERS: tuple[Any, ...] = (
    list_broadcasts,
    show_broadcast,
    list_sends,
    pause_broadcast,
    resume_broadcast,
    cancel_broadcast,
    retry_failed,
    send_to_missing,
    resolve_unknown,
)
