"""What the studio's pages of readers send, and the button and one click of an unsubscribe link."""

from typing import Any
from uuid import UUID

from litestar import Request, Response, post

from app.accounts import Desk, SiteVisit
from app.answers import Flash, Form, answer, form_of, page
from app.base.addresses import same_address
from app.base.database import Tx
from app.base.errors import Conflict, Invalid, NotFound, Problem
from app.readers.additions import NewReader, add_reader
from app.readers.changes import Change, change_reader
from app.readers.erasure import erase_reader
from app.readers.given import Checked
from app.readers.pages import GONE, new_page, reader_page
from app.readers.queries import reader
from app.readers.streams import newsletter_by_slug
from app.readers.subscriptions import Consent, unsubscribe
from app.readers.unsubscribing import unsubscribe_by_link, unsubscribe_response

CONSENT = "Tick this when the reader asked for it; if not, do not add them."


@post("/readers")
async def add(desk: Desk, request: Request) -> Response[Any]:
    """Add a reader who agreed; back to the form with what is wrong."""
    form = await form_of(request)
    try:
        async with desk.transaction() as tx:
            new = await _new_reader(tx, form, desk.creator.name)
            added = await add_reader(tx, new)
    except (Invalid, Conflict) as error:
        problems = error.problems or (Problem("email", error.detail),)
        shown = await new_page(desk, problems=problems, **_typed(form))
        return page("readers/new.html", status=422, shell=desk.shell("readers"), page=shown)
    flash = Flash("ok", f"{new.email} was added.")
    if not added.created:
        flash = Flash("info", "This address is a reader already. Nothing was changed.")
    return answer(request, to=desk.url(f"readers/{added.reader_id}"), flash=flash)


@post("/readers/{reader_id:uuid}")
async def change(desk: Desk, request: Request, reader_id: UUID) -> Response[Any]:
    """Save name, tags and note."""
    form = await form_of(request)
    try:
        checked = Checked()
        wanted = Change(
            name=checked.name(form.text("name", most=10_000)),
            note=checked.note(form.text("note", most=100_000)),
            tags=checked.tags(form.text("tags", most=100_000).split(",")),
        )
        checked.refuse()
    except Invalid as error:
        typed = {name: _shown(form, name) for name in ("name", "tags", "note")}
        shown = await reader_page(desk, reader_id, problems=error.problems, typed=typed)
        return page("readers/show.html", status=422, shell=desk.shell("readers"), page=shown)
    async with desk.transaction() as tx:
        await change_reader(tx, reader_id, wanted, "")
    return answer(request, to=desk.url(f"readers/{reader_id}"), flash=Flash("ok", "Saved."))


@post("/readers/{reader_id:uuid}/unsubscribe")
async def unsubscribe_reader(desk: Desk, request: Request, reader_id: UUID) -> Response[Any]:
    """Unsubscribe a reader who asked the team, from one newsletter or all, when their address was typed."""
    form = await form_of(request)
    slug, typed = form.text("newsletter", most=63), form.text("leave", most=1000)
    async with desk.transaction() as tx:
        found = await reader(tx, reader_id)
        if found is None:
            raise NotFound(GONE)
        stream = await newsletter_by_slug(tx, slug) if slug else None
        if slug and stream is None:
            raise Invalid([Problem("newsletter", "There is no such newsletter.")])
        matches, left = same_address(typed, found.email), list[UUID]()
        if matches:
            how = f"by {desk.creator.name}, in the studio"
            left = await unsubscribe(tx, reader_id, stream.id if stream else None, how)
    if not matches:
        return await _not_theirs(desk, reader_id, "leave", "Nobody was unsubscribed.")
    words = "They are unsubscribed. It holds at once." if left else "They were unsubscribed before."
    return answer(request, to=desk.url(f"readers/{reader_id}"), flash=Flash("ok", words))


@post("/readers/{reader_id:uuid}/erase")
async def erase(desk: Desk, request: Request, reader_id: UUID) -> Response[Any]:
    """Erase for good, when the reader's address was typed."""
    typed = (await form_of(request)).text("address", most=1000)
    async with desk.transaction() as tx:
        found = await reader(tx, reader_id)
        if found is None:
            raise NotFound(GONE)
        matches = same_address(typed, found.email)
        if matches:
            await erase_reader(tx, reader_id)
    if not matches:
        return await _not_theirs(desk, reader_id, "address", "Nothing was erased.")
    flash = Flash("ok", "The reader is erased. No import brings the address back.")
    return answer(request, to=desk.url("readers"), flash=flash)


async def _not_theirs(desk: Desk, reader_id: UUID, field: str, nothing: str) -> Response[Any]:
    """The page again: another address was typed than the reader's."""
    wrong = Problem(field, f"That is not this reader's address. {nothing}")
    shown = await reader_page(desk, reader_id, problems=(wrong,))
    return page("readers/show.html", status=422, shell=desk.shell("readers"), page=shown)


@post("/unsubscribe/{token:str}", status_code=200)
async def unsubscribe_now(visit: SiteVisit, request: Request, token: str) -> Response[str]:
    """The button, and RFC 8058's one click: done at once, without cookies, as often as one likes (R5)."""
    try:
        one_click = (await form_of(request)).text("List-Unsubscribe") == "One-Click"
    except Invalid:  # whatever stands in the body, who posts here wants to leave
        one_click = False
    how = "by one click in the mail program" if one_click else "by the link in a mail"
    async with visit.transaction() as tx:
        shown = await unsubscribe_by_link(tx, token, how)
    return unsubscribe_response(visit, shown)


async def _new_reader(tx: Tx, form: Form, creator: str) -> NewReader:
    checked = Checked()
    new = NewReader(
        email=checked.email(form.text("email", most=1000)),
        newsletters=await checked.newsletters(tx, form.many("newsletters")),
        consent=Consent(f"{creator} stated in the studio that they asked for it"),
        source="studio",
        name=checked.name(form.text("name", most=10_000)),
        tags=checked.tags(form.text("tags", most=100_000).split(",")),
        note=checked.note(form.text("note", most=100_000)),
    )
    if not new.newsletters:
        checked.wrong("newsletters", "Choose at least one newsletter.")
    if not form.checked("consented"):
        checked.wrong("consented", CONSENT)
    checked.refuse()
    return new


def _typed(form: Form) -> dict[str, Any]:
    """What was typed, as far as a page can show it again."""
    texts = {name: _shown(form, name) for name in ("email", "name", "tags", "note")}
    return {**texts, "chosen": tuple(form.many("newsletters")), "consented": form.checked("consented")}


def _shown(form: Form, name: str) -> str:
    try:
        return form.text(name, most=100_000)
    except Invalid:
        return ""


HANDLERS: tuple[Any, ...] = (add, change, unsubscribe_reader, erase)
SITE_HANDLERS: tuple[Any, ...] = (unsubscribe_now,)
