"""Broadcasts in the JSON API (contract.md): what went out, how far it is, who got it."""

from datetime import datetime
from typing import Any
from uuid import UUID

from litestar import Request, get

from app.accounts import ApiCaller
from app.answers import iso, paging_of
from app.base.errors import Invalid, NotFound, Problem
from app.broadcasts.copies import Copy, copies
from app.broadcasts.queries import BroadcastView, broadcast_view, broadcasts
from app.ledger import SendState

GONE = "There is no such broadcast."


@get("/broadcasts")
async def list_broadcasts(caller: ApiCaller, request: Request) -> dict[str, Any]:
    """Every broadcast, newest first."""
    paging = paging_of(request)
    async with caller.transaction() as tx:
        found = await broadcasts(tx, before=paging.after(datetime, UUID), most=paging.limit + 1)
    return paging.listed(found, broadcast_json, lambda view: (view.pressed_at, view.id))


@get("/broadcasts/{broadcast_id:uuid}")
async def show_broadcast(caller: ApiCaller, broadcast_id: UUID) -> dict[str, Any]:
    """One broadcast. `audience` is the sum of sent, failed, skipped, unknown and to_go, at every moment."""
    async with caller.transaction() as tx:
        view = await broadcast_view(tx, broadcast_id)
    if view is None:
        raise NotFound(GONE)
    return broadcast_json(view)


@get("/broadcasts/{broadcast_id:uuid}/sends")
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


def broadcast_json(view: BroadcastView) -> dict[str, Any]:
    """The representation of a broadcast, in the API and in events."""
    mailing, figures = view.mailing, view.mailing.figures
    return {
        "id": str(view.id),
        "state": mailing.state,
        "reason": mailing.reason,
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
        "left_out": view.left_out,
        "pressed_by": view.pressed_by_name,
        "created_at": iso(view.pressed_at),
        "built_at": _time(mailing.built_at),
        "finished_at": _time(mailing.finished_at),
        "balanced": None if mailing.audit is None else bool(mailing.audit.get("balanced")),
    }


def _send_json(copy: Copy) -> dict[str, Any]:
    return {
        "reader": str(copy.reader_id),
        "email": copy.email,
        "state": copy.state,
        "reason": copy.reason,
        "batch": str(copy.batch_id) if copy.batch_id else None,
        "times": {"handed_over": _time(copy.called_at), "settled": _time(copy.settled_at)},
    }


def _time(value: datetime | None) -> str | None:
    return iso(value) if value else None


HANDLERS: tuple[Any, ...] = (list_broadcasts, show_broadcast, list_sends)
