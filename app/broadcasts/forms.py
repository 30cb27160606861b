"""What a creator presses on a broadcast: each act a small form, answered with the page's live region."""

from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

from litestar import Request, Response, delete, post

from app.accounts import Desk
from app.answers import Flash, answer, form_of, fragment, is_htmx, page, plural
from app.base.database import Tx
from app.base.errors import Conflict, Invalid, Problem
from app.broadcasts import acts
from app.broadcasts.pages import BroadcastPage, url_of
from app.broadcasts.progress import Progress, read_broadcast
from app.messages import ask_provider

Act = Callable[[Tx], Awaitable[acts.Done]]
Words = Callable[[acts.Done, Progress], str]


@post("/broadcasts/{broadcast_id:uuid}/pause", status_code=200)
async def pause(desk: Desk, request: Request, broadcast_id: UUID) -> Response[Any]:
    """Nothing more is handed over."""
    return await _acted(
        desk,
        request,
        broadcast_id,
        lambda tx: acts.pause(tx, broadcast_id, desk.creator.name),
        lambda done, now: "Paused. " + _in_hand(now),
    )


@post("/broadcasts/{broadcast_id:uuid}/resume", status_code=200)
async def resume(desk: Desk, request: Request, broadcast_id: UUID) -> Response[Any]:
    """It goes on where it stopped."""
    return await _resumed(desk, request, broadcast_id)


@delete("/broadcasts/{broadcast_id:uuid}/pause", status_code=200)
async def end_pause(desk: Desk, request: Request, broadcast_id: UUID) -> Response[Any]:
    """The pause is over: the same as resuming."""
    return await _resumed(desk, request, broadcast_id)


@post("/broadcasts/{broadcast_id:uuid}/probe", status_code=200)
async def probe(desk: Desk, request: Request, broadcast_id: UUID) -> Response[Any]:
    """Ask the provider that refuses us now, not when it would be its turn, and tell what it says."""
    async with desk.transaction() as tx:
        await read_broadcast(tx, broadcast_id)
    flash = await ask_provider(desk.transaction)
    async with desk.transaction() as tx:
        _, progress = await read_broadcast(tx, broadcast_id)
    return _told(desk, request, broadcast_id, progress, flash)


@post("/broadcasts/{broadcast_id:uuid}/cancel", status_code=200)
async def cancel(desk: Desk, request: Request, broadcast_id: UUID) -> Response[Any]:
    """It stops for good; in its undo time it is as if it had never been."""
    return await _acted(
        desk,
        request,
        broadcast_id,
        lambda tx: acts.cancel(tx, broadcast_id, desk.creator.name),
        lambda done, now: "Taken back: nobody was mailed." if done.undone else "Cancelled for good.",
    )


@post("/broadcasts/{broadcast_id:uuid}/retry-failed", status_code=200)
async def retry_failed(desk: Desk, request: Request, broadcast_id: UUID) -> Response[Any]:
    """The failed copies are planned again."""
    return await _acted(
        desk,
        request,
        broadcast_id,
        lambda tx: acts.retry_failed(tx, broadcast_id),
        lambda done, now: (
            f"{plural(done.count, 'copy', 'copies')} that had failed will be tried again"
            + (" once it is resumed." if now.state == "paused" else ".")
        ),
    )


@post("/broadcasts/{broadcast_id:uuid}/send-to-missing", status_code=200)
async def send_to_missing(desk: Desk, request: Request, broadcast_id: UUID) -> Response[Any]:
    """Readers of now who have no copy get one."""
    return await _acted(
        desk,
        request,
        broadcast_id,
        lambda tx: acts.send_to_missing(tx, broadcast_id),
        lambda done, now: (
            f"{plural(done.count, 'reader')} more will get it"
            + (" once it is resumed." if now.state == "paused" else ".")
            if done.count
            else "Nobody is missing: every reader of now has a copy already."
        ),
    )


@post("/broadcasts/{broadcast_id:uuid}/resolve", status_code=200)
async def resolve(desk: Desk, request: Request, broadcast_id: UUID) -> Response[Any]:
    """A person says what became of unsure copies."""
    form = await form_of(request)
    verdict, named = form.text("as"), form.many("readers")
    if verdict not in ("sent", "planned"):
        raise Invalid([Problem("as", "Choose whether they arrived, or are to be sent again.")])
    readers = None if form.checked("all") else [_reader(one) for one in named]
    if readers == []:
        raise Invalid([Problem("readers", "Choose at least one reader, or all of them.")])
    return await _acted(
        desk,
        request,
        broadcast_id,
        lambda tx: acts.settle_unsure(tx, broadcast_id, verdict, readers, desk.creator.name),
        lambda done, now: _settled(done.count, verdict, now),
    )


def _in_hand(now: Progress) -> str:
    if not now.sending:
        return "Nothing was on its way at that moment."
    return f"{plural(now.sending, 'copy', 'copies')} on the way already may still arrive."


def _settled(count: int, verdict: str, now: Progress) -> str:
    copies = plural(count, "copy", "copies")
    if verdict == "sent":
        return f"{copies} now count{'s' if count == 1 else ''} as sent."
    when = {
        "cancelled": "not be sent, because the email was cancelled",
        "paused": "be sent once it is resumed",
    }
    return f"{copies} will {when.get(now.state, 'be sent again')}."


async def _resumed(desk: Desk, request: Request, broadcast_id: UUID) -> Response[Any]:
    return await _acted(
        desk,
        request,
        broadcast_id,
        lambda tx: acts.resume(tx, broadcast_id),
        lambda done, now: (
            "It goes on once mail runs and what was held is let go."
            if now.held
            else "It goes on. Nobody who has it is mailed again."
        ),
    )


async def _acted(desk: Desk, request: Request, broadcast_id: UUID, act: Act, words: Words) -> Response[Any]:
    """Act, then tell how it stands; an act that came too late changes nothing and says why."""
    try:
        async with desk.transaction() as tx:
            done = await act(tx)
    except Conflict as error:
        return await _too_late(desk, request, broadcast_id, error)
    async with desk.transaction() as tx:
        _, progress = await read_broadcast(tx, broadcast_id)
    return _told(desk, request, broadcast_id, progress, Flash("ok", words(done, progress)))


def _told(
    desk: Desk, request: Request, broadcast_id: UUID, progress: Progress, flash: Flash
) -> Response[Any]:
    url = url_of(desk, broadcast_id)
    return answer(
        request,
        to=url,
        template="broadcasts/acted.html",
        flash=flash,
        progress=progress,
        url=url,
        studio=desk.url(),
        zone=desk.account.zone,
    )


async def _too_late(desk: Desk, request: Request, broadcast_id: UUID, error: Conflict) -> Response[Any]:
    async with desk.transaction() as tx:
        view, progress = await read_broadcast(tx, broadcast_id)
    url, flash = url_of(desk, broadcast_id), Flash("bad", error.detail)
    if is_htmx(request):
        told = {"progress": progress, "url": url, "studio": desk.url(), "zone": desk.account.zone}
        return fragment("broadcasts/acted.html", status=error.status, flash=flash, **told)
    shown = BroadcastPage(view, progress, url, desk.url())
    shell = desk.shell("emails", flash)
    return page("broadcasts/show.html", status=error.status, shell=shell, page=shown)


def _reader(given: str) -> UUID:
    try:
        return UUID(given)
    except ValueError as error:
        raise Invalid([Problem("readers", "One of the readers chosen is none of ours.")]) from error


HANDLERS: tuple[Any, ...] = (
    pause,
    resume,
    end_pause,
    probe,
    cancel,
    retry_failed,
    send_to_missing,
    resolve,
)
