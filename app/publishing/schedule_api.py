"""What waits for its time, in the JSON API: the id is what `publish` with `at` answers."""

from datetime import datetime
from typing import Any
from uuid import UUID

from litestar import get, post
from msgspec import Struct

from app.accounts import ApiCaller
from app.publishing.scheduling import cancel_scheduled
from app.publishing.waiting import Scheduled, scheduled, scheduled_list


class ScheduledItem(Struct):
    """A publication at a time. `state`: waiting, done, failed (for `reason`) or cancelled."""

    id: str
    post: str
    title: str
    at: datetime
    site: bool
    email: bool
    state: str
    reason: str | None
    release: int | None
    broadcast: str | None
    created_at: datetime
    ended_at: datetime | None


class ScheduledList(Struct):
    """The next hundred: what waits, soonest first, then what is over, newest first; `next` is null."""

    items: list[ScheduledItem]
    next: str | None


@get("/scheduled")
async def list_scheduled(caller: ApiCaller) -> ScheduledList:
    """What waits, soonest first; then what is over, newest first: a hundred at most."""
    async with caller.transaction() as tx:
        return ScheduledList([_item(one) for one in await scheduled_list(tx)], None)


@get("/scheduled/{scheduled_id:uuid}")
async def show_scheduled(caller: ApiCaller, scheduled_id: UUID) -> ScheduledItem:
    """One of them."""
    async with caller.transaction() as tx:
        return _item(await scheduled(tx, scheduled_id))


@post("/scheduled/{scheduled_id:uuid}/cancel", status_code=200)
async def cancel_one(caller: ApiCaller, scheduled_id: UUID) -> ScheduledItem:
    """Nothing is published and nobody mailed. One that does not wait any more: 409."""
    async with caller.transaction() as tx:
        await scheduled(tx, scheduled_id)
        await cancel_scheduled(tx, scheduled_id)
        return _item(await scheduled(tx, scheduled_id))


def _item(one: Scheduled) -> ScheduledItem:
    return ScheduledItem(
        id=str(one.id),
        post=str(one.post_id),
        title=one.title,
        at=one.at,
        site=one.site,
        email=one.email is not None,
        state=one.state,
        reason=one.reason,
        release=one.release,
        broadcast=str(one.broadcast_id) if one.broadcast_id else None,
        created_at=one.created_at,
        ended_at=one.ended_at,
    )


HANDLERS: tuple[Any, ...] = (list_scheduled, show_scheduled, cancel_one)
