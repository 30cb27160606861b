"""Acts on what waits for its time: another time, now, never."""

from collections.abc import Awaitable, Callable
from uuid import UUID

from litestar import Request, Response, post

from app.accounts import Desk
from app.answers import Flash, answer, form_of, page
from app.base.database import Tx
from app.base.errors import Conflict, Invalid
from app.publishing.choosing import number_in, when_of
from app.publishing.schedule_pages import shown_scheduled
from app.publishing.scheduling import cancel_scheduled, move_scheduled, publish_scheduled_now
from app.publishing.telling import told, what_happened, where_it_shows
from app.publishing.waiting import scheduled
from app.publishing.wording import when as in_words


@post("/scheduled/{scheduled_id:uuid}/time", status_code=200)
async def change_time(request: Request, desk: Desk, scheduled_id: UUID) -> Response[str]:
    """It goes out at another time."""
    form = await form_of(request)
    wall = form.text("wall", most=100)

    async def act(tx: Tx) -> tuple[str, str]:
        when = when_of(desk, form, wall)
        await move_scheduled(tx, scheduled_id, when)
        return f"scheduled/{scheduled_id}", f"It has another time. {in_words(when).passage}".strip()

    return await _acted(request, desk, scheduled_id, act, wall)


@post("/scheduled/{scheduled_id:uuid}/cancel", status_code=200)
async def cancel(request: Request, desk: Desk, scheduled_id: UUID) -> Response[str]:
    """It is not published."""

    async def act(tx: Tx) -> tuple[str, str]:
        await cancel_scheduled(tx, scheduled_id)
        return f"scheduled/{scheduled_id}", "Cancelled: nothing is published, nobody is mailed."

    return await _acted(request, desk, scheduled_id, act)


@post("/scheduled/{scheduled_id:uuid}/publish", status_code=200)
async def publish_now(request: Request, desk: Desk, scheduled_id: UUID) -> Response[str]:
    """It does not wait for its time."""
    form = await form_of(request)

    async def act(tx: Tx) -> tuple[str, str]:
        mailed = (await scheduled(tx, scheduled_id)).email is not None
        shown = number_in(form, "shown") if mailed else None
        made = await publish_scheduled_now(tx, scheduled_id, shown)
        return where_it_shows(made), what_happened(made)

    return await _acted(request, desk, scheduled_id, act)


async def _acted(
    request: Request,
    desk: Desk,
    scheduled_id: UUID,
    act: Callable[[Tx], Awaitable[tuple[str, str]]],
    wall: str = "",
) -> Response[str]:
    """Act and lead on; or the page again with why nothing happened."""
    try:
        async with desk.transaction() as tx:
            to, words = await act(tx)
    except (Invalid, Conflict) as error:
        shown = await shown_scheduled(desk, scheduled_id, wall, told(error))
        shell = desk.shell("posts")
        return page("publishing/scheduled.html", status=error.status, shell=shell, page=shown)
    return answer(request, to=desk.url(to), flash=Flash("ok", words))


HANDLERS: tuple = (change_time, cancel, publish_now)
