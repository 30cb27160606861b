"""The pages of broadcasts: the list, one with its live figures, its copies, the mail as it went out."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from litestar import Request, Response, get
from litestar.response import Stream

from app.accounts import Desk
from app.answers import Cursor, framed_mail, page, rendered
from app.broadcasts import specimen
from app.broadcasts.copies import Copy, copies, wanted_states
from app.broadcasts.live import live_response
from app.broadcasts.progress import BroadcastLine, Progress, read_broadcast, read_broadcasts
from app.broadcasts.queries import BroadcastView
from app.broadcasts.specimen import Specimen
from app.ledger import Content, PossibleDouble, content_of, possible_doubles
from app.readers import ReaderName, names_of

PAGE = 50
#: Unsure copies that one page offers one by one; more are settled in turns, or all together.
MOST_UNSURE = 200
_FRESH = {"Cache-Control": "no-store"}


@dataclass(frozen=True)
class ListPage:
    """The list of emails, newest first."""

    lines: tuple[BroadcastLine, ...]
    older: str


@dataclass(frozen=True)
class BroadcastPage:
    """One email: how far it is, what was pressed. `url` is its own address."""

    view: BroadcastView
    progress: Progress
    url: str
    studio: str


@dataclass(frozen=True)
class CopiesPage:
    """The copies of one email in one state ('': all)."""

    view: BroadcastView
    progress: Progress
    state: str
    filters: tuple[tuple[str, str, int], ...]
    copies: tuple[Copy, ...]
    count: int
    older: str
    first: str
    url: str
    studio: str


@dataclass(frozen=True)
class UnsurePage:
    """The unsure copies (the first so many) with what can be said of them, and possible doubles by reader."""

    view: BroadcastView
    progress: Progress
    copies: tuple[Copy, ...]
    doubles: tuple[tuple[PossibleDouble, ReaderName | None], ...]
    url: str
    studio: str


@dataclass(frozen=True)
class SpecimenPage:
    """The mail exactly as it goes out to a sample reader; `shown_as` is '', nameless or preview."""

    view: BroadcastView
    specimen: Specimen
    shown_as: str
    has_preview: bool
    url: str


@get("/broadcasts", name="studio.broadcasts")
async def show_list(desk: Desk, request: Request) -> Response[str]:
    """Every email of the account, newest first."""
    given = request.query_params.get("cursor", "")
    before = Cursor.decode(given, datetime, UUID) if given else None
    async with desk.transaction() as tx:
        found = await read_broadcasts(tx, before=before, most=PAGE + 1)
    older = ""
    if len(found) > PAGE:
        last = found[PAGE - 1].view
        older = f"{desk.url('broadcasts')}?cursor={Cursor.encode(last.pressed_at, last.id)}"
    shown = ListPage(tuple(found[:PAGE]), older)
    return page("broadcasts/list.html", shell=desk.shell("emails"), page=shown)


@get("/broadcasts/{broadcast_id:uuid}", name="studio.broadcast")
async def show(desk: Desk, broadcast_id: UUID) -> Response[str]:
    """One email, live while it goes out."""
    async with desk.transaction() as tx:
        view, progress = await read_broadcast(tx, broadcast_id)
    shown = BroadcastPage(view, progress, url_of(desk, broadcast_id), desk.url())
    return page("broadcasts/show.html", headers=_FRESH, shell=desk.shell("emails"), page=shown)


@get("/broadcasts/{broadcast_id:uuid}/live")
async def live(desk: Desk, broadcast_id: UUID) -> Stream:
    """The stream that repaints the page's figures."""
    url, studio, zone = url_of(desk, broadcast_id), desk.url(), desk.account.zone

    def draw(progress: Progress) -> str:
        return rendered("broadcasts/_progress.html", progress=progress, url=url, studio=studio, zone=zone)

    return await live_response(desk, broadcast_id, draw)


@get("/broadcasts/{broadcast_id:uuid}/sends")
async def show_copies(desk: Desk, request: Request, broadcast_id: UUID) -> Response[str]:
    """The copies behind one figure."""
    state, given = request.query_params.get("state", ""), request.query_params.get("cursor", "")
    wanted_states(state)
    before = Cursor.decode(given, UUID)[0] if given else None
    async with desk.transaction() as tx:
        view, progress = await read_broadcast(tx, broadcast_id)
        found = await copies(tx, view.mailing.id, state=state, before=before, most=PAGE + 1)
    url = f"{url_of(desk, broadcast_id)}/sends"
    query = f"state={state}&" if state else ""
    shown = CopiesPage(
        view=view,
        progress=progress,
        state=state,
        filters=_filters(progress),
        copies=tuple(found[:PAGE]),
        count=_count(view, state),
        older=f"{url}?{query}cursor={Cursor.encode(found[PAGE - 1].reader_id)}" if len(found) > PAGE else "",
        first=f"{url}?{query}".rstrip("?&") if before else "",
        url=url,
        studio=desk.url(),
    )
    return page("broadcasts/sends.html", headers=_FRESH, shell=desk.shell("emails"), page=shown)


@get("/broadcasts/{broadcast_id:uuid}/cancel")
async def show_cancel(desk: Desk, broadcast_id: UUID) -> Response[str]:
    """What cancelling would do, before it is done."""
    async with desk.transaction() as tx:
        view, progress = await read_broadcast(tx, broadcast_id)
    shown = BroadcastPage(view, progress, url_of(desk, broadcast_id), desk.url())
    return page("broadcasts/cancel.html", headers=_FRESH, shell=desk.shell("emails"), page=shown)


@get("/broadcasts/{broadcast_id:uuid}/unsure")
async def show_unsure(desk: Desk, broadcast_id: UUID) -> Response[str]:
    """The copies of which nobody can tell, for a person to settle; and those who may have got two."""
    async with desk.transaction() as tx:
        view, progress = await read_broadcast(tx, broadcast_id)
        unsure = await copies(tx, view.mailing.id, state="unknown", most=MOST_UNSURE)
        found = await possible_doubles(tx, view.mailing.id)
        readers = await names_of(tx, [double.reader_id for double in found])
    doubles = tuple((double, readers.get(double.reader_id)) for double in found)
    shown = UnsurePage(view, progress, tuple(unsure), doubles, url_of(desk, broadcast_id), desk.url())
    return page("broadcasts/unsure.html", headers=_FRESH, shell=desk.shell("emails"), page=shown)


@get("/broadcasts/{broadcast_id:uuid}/mail")
async def show_mail(desk: Desk, request: Request, broadcast_id: UUID) -> Response[str]:
    """The mail exactly as sent, in a frame that may do nothing."""
    as_whom = _as_whom(request)
    async with desk.transaction() as tx:
        view, _ = await read_broadcast(tx, broadcast_id)
        content = await content_of(tx, view.mailing.id)
    shown = SpecimenPage(
        view,
        _specimen(content, as_whom),
        as_whom,
        content.preview_html is not None,
        url_of(desk, broadcast_id),
    )
    return page("broadcasts/mail.html", shell=desk.shell("emails"), page=shown)


@get("/broadcasts/{broadcast_id:uuid}/mail/body")
async def show_mail_body(desk: Desk, request: Request, broadcast_id: UUID) -> Response[str]:
    """The HTML of the mail alone."""
    async with desk.transaction() as tx:
        view, _ = await read_broadcast(tx, broadcast_id)
        content = await content_of(tx, view.mailing.id)
    return framed_mail(_specimen(content, _as_whom(request)).html)


def _as_whom(request: Request) -> str:
    given = request.query_params.get("as", "")
    return given if given in ("nameless", "preview") else ""


def _specimen(content: Content, as_whom: str) -> Specimen:
    return specimen.specimen(content, nameless=as_whom == "nameless", preview=as_whom == "preview")


def url_of(desk: Desk, broadcast_id: UUID) -> str:
    """The address of a broadcast's page."""
    return desk.url(f"broadcasts/{broadcast_id}")


def _filters(progress: Progress) -> tuple[tuple[str, str, int], ...]:
    """The states that a creator may look at: (state, words, how many)."""
    parts = progress.parts("")
    return (("", "everybody", progress.audience), *((key, words, count) for key, words, count, _ in parts))


def _count(view: BroadcastView, state: str) -> int:
    figures = view.mailing.figures
    return {"": figures.audience, "waiting": figures.to_go}.get(state) or getattr(figures, state, 0)


HANDLERS: tuple[Any, ...] = (
    show_list,
    show,
    live,
    show_copies,
    show_cancel,
    show_unsure,
    show_mail,
    show_mail_body,
)
