"""Broadcasts in the JSON API (contract.md): what went out, how far it is, who got it."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

import msgspec
from litestar import Request, get, post
from msgspec import Struct

from app.accounts import ApiCaller
from app.answers import PAGED, Option, asks, iso, iso_or_none, paging_of
from app.base.database import Tx
from app.base.errors import Invalid, NotFound, Problem
from app.broadcasts import acts
from app.broadcasts.copies import Copy, copies
from app.broadcasts.queries import BroadcastView, broadcast_view, broadcasts
from app.ledger import SendState
from app.mail import Refusal, standing_refusal

GONE = "There is no such broadcast."


@get("/broadcasts", opt=asks(*PAGED))
async def list_broadcasts(caller: ApiCaller, request: Request) -> dict[str, Any]:
    """Every broadcast, newest first."""
    paging = paging_of(request)
    async with caller.transaction() as tx:
        found = await broadcasts(tx, before=paging.after(datetime, UUID), most=paging.limit + 1)
        refusal = await standing_refusal(tx)
    return paging.listed(
        found, lambda view: broadcast_json(view, refusal), lambda view: (view.pressed_at, view.id)
    )


@get("/broadcasts/{broadcast_id:uuid}")
async def show_broadcast(caller: ApiCaller, broadcast_id: UUID) -> dict[str, Any]:
    """One broadcast. `audience` is the sum of sent, failed, skipped, unknown and to_go, at every moment."""
    async with caller.transaction() as tx:
        view = await broadcast_view(tx, broadcast_id)
        refusal = await standing_refusal(tx)
    if view is None:
        raise NotFound(GONE)
    return broadcast_json(view, refusal)


@get(
    "/broadcasts/{broadcast_id:uuid}/sends",
    opt=asks(*PAGED, Option("state", "Only sends in this state.", one_of=tuple(SendState))),
)
async def list_sends(caller: ApiCaller, request: Request, broadcast_id: UUID) -> dict[str, Any]:
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
    return paging.listed(found, _send_json, lambda copy: (copy.reader_id,))


class Decision(Struct, forbid_unknown_fields=True):
    """What a person says of unknown sends: they arrived (`sent`), or are to be sent again (`planned`)."""

    as_: Literal["sent", "planned"] = msgspec.field(name="as")
    readers: list[str] | Literal["all"]


@post("/broadcasts/{broadcast_id:uuid}/pause", status_code=200)
async def pause_broadcast(caller: ApiCaller, broadcast_id: UUID) -> dict[str, Any]:
    """Nothing more is handed over; what is with the provider already still arrives."""
    return await _acted(caller, broadcast_id, lambda tx, one: acts.pause(tx, one, _who(caller)))


@post("/broadcasts/{broadcast_id:uuid}/resume", status_code=200)
async def resume_broadcast(caller: ApiCaller, broadcast_id: UUID) -> dict[str, Any]:
    """It goes on where it stopped; nobody who has it is mailed again."""
    return await _acted(caller, broadcast_id, acts.resume)


@post("/broadcasts/{broadcast_id:uuid}/cancel", status_code=200)
async def cancel_broadcast(caller: ApiCaller, broadcast_id: UUID) -> dict[str, Any]:
    """It stops for good; `undone` when nobody was mailed, and the post can be mailed as if never before."""
    return await _acted(caller, broadcast_id, lambda tx, one: acts.cancel(tx, one, _who(caller)))


@post("/broadcasts/{broadcast_id:uuid}/retry-failed", status_code=200)
async def retry_failed(caller: ApiCaller, broadcast_id: UUID) -> dict[str, Any]:
    """The failed sends are planned again; `retried` says how many."""
    return await _acted(caller, broadcast_id, acts.retry_failed, counted="retried")


@post("/broadcasts/{broadcast_id:uuid}/send-to-missing", status_code=200)
async def send_to_missing(caller: ApiCaller, broadcast_id: UUID) -> dict[str, Any]:
    """Readers in the audience now who have no send get one; `added` says how many. Unknown ones are left."""
    return await _acted(caller, broadcast_id, acts.send_to_missing, counted="added")


@post("/broadcasts/{broadcast_id:uuid}/resolve", status_code=200)
async def resolve_unknown(caller: ApiCaller, broadcast_id: UUID, data: Decision) -> dict[str, Any]:
    """A person settles unknown sends; `resolved` says how many."""
    readers = None if data.readers == "all" else [_reader(one) for one in data.readers]
    return await _acted(
        caller,
        broadcast_id,
        lambda tx, one: acts.settle_unsure(tx, one, data.as_, readers, _who(caller)),
        counted="resolved",
    )


async def _acted(
    caller: ApiCaller,
    broadcast_id: UUID,
    act: Callable[[Tx, UUID], Awaitable[acts.Done]],
    *,
    counted: str | None = None,
) -> dict[str, Any]:
    """Act, and answer the broadcast as it stands after it, in one transaction."""
    async with caller.transaction() as tx:
        done = await act(tx, broadcast_id)
        view = await broadcast_view(tx, broadcast_id)
        refusal = await standing_refusal(tx)
    assert view is not None
    return broadcast_json(view, refusal) | ({counted: done.count} if counted else {})


def _who(caller: ApiCaller) -> str:
    return f"API key {caller.key_name}"


def _reader(given: str) -> UUID:
    try:
        return UUID(given)
    except ValueError as error:
        raise Invalid([Problem("readers", f"{given!r} is no reader's id.")]) from error


def broadcast_json(view: BroadcastView, refusal: Refusal | None) -> dict[str, Any]:
    """The representation of a broadcast, in the API and in events; `refusal`: the provider refuses us."""
    mailing, figures = view.mailing, view.mailing.figures
    refused = refusal and mailing.state == "sending" and figures.to_go and not mailing.held
    waits = refusal.reason if refusal and refused else mailing.put_off
    return {
        "id": str(view.id),
        "state": mailing.state,
        "reason": mailing.reason or waits,
        "audience": figures.audience,
        "sent": figures.sent,
        "failed": figures.failed,
        "skipped": figures.skipped,
        "unknown": figures.unknown,
        "to_go": figures.to_go,
        "newsletter": view.newsletter_slug,
        "release": view.release,
        "post": str(view.post_id),
        "title": view.title,
        "subject": view.subject,
        "preheader": view.preheader,
        "again": view.again,
        "segment": view.segment_name,
        "left_out": view.left_out,
        "pressed_by": view.pressed_by_name,
        "created_at": iso(view.pressed_at),
        "starts_at": iso(mailing.starts_at),
        "held": mailing.held,
        "needs_decision": mailing.undecided and figures.unknown > 0,
        "possible_doubles": mailing.doubles,
        "undone": mailing.undone,
        "built_at": iso_or_none(mailing.built_at),
        "finished_at": iso_or_none(mailing.finished_at),
        "balanced": None if mailing.audit is None else bool(mailing.audit.get("balanced")),
    }


def _send_json(copy: Copy) -> dict[str, Any]:
    return {
        "reader": str(copy.reader_id),
        "email": copy.email,
        "state": copy.state,
        "reason": copy.reason,
        "batch": str(copy.batch_id) if copy.batch_id else None,
        "times": {"handed_over": iso_or_none(copy.called_at), "settled": iso_or_none(copy.settled_at)},
    }


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
