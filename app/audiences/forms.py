"""What the studio's pages of segments and of acts on many readers send."""

from typing import Any, cast, get_args
from uuid import UUID

from litestar import Request, Response, post

from app.accounts import Desk
from app.answers import Flash, Form, answer, form_of
from app.audiences.act_pages import choose_response
from app.audiences.bulk import NewAct, order_act, undo_act
from app.audiences.segment_pages import filter_in, segment_response
from app.audiences.segmenting import change_segment, delete_segment, make_segment, resolved
from app.audiences.states import Act
from app.base.database import Tx
from app.base.errors import Conflict, GodwitError, Invalid, NotFound, Problem
from app.readers import Checked

#: Characters of a filter's address.
LONGEST_QUERY = 20_000
_TYPED = ("tag-tag", "untag-tag", "unsubscribe-newsletter", "unsubscribe-typed", "erase-typed")


@post("/readers/segments")
async def make(desk: Desk, request: Request) -> Response[Any]:
    """Keep a filter under a name; back to the form with what is wrong."""
    form = await form_of(request)
    query = form.text("filter", most=LONGEST_QUERY)
    try:
        async with desk.transaction() as tx:
            name = form.text("name", most=10_000)
            made = await make_segment(tx, name, filter_in(query), desk.creator.name)
    except (Invalid, Conflict) as error:
        return await segment_response(desk, None, query, form.typed("name"), _problems(error, "name"))
    return answer(request, to=desk.url(f"readers?segment={made}"), flash=Flash("ok", "The segment is kept."))


@post("/readers/segments/{segment_id:uuid}")
async def change(desk: Desk, request: Request, segment_id: UUID) -> Response[Any]:
    """Another name, or another filter."""
    form = await form_of(request)
    query = form.text("filter", most=LONGEST_QUERY)
    try:
        async with desk.transaction() as tx:
            await change_segment(tx, segment_id, form.text("name", most=10_000), filter_in(query))
    except (Invalid, Conflict) as error:
        return await segment_response(desk, segment_id, query, form.typed("name"), _problems(error, "name"))
    words = "Saved. What is going out to it already keeps the readers it had."
    return answer(request, to=desk.url("readers/segments"), flash=Flash("ok", words))


@post("/readers/segments/{segment_id:uuid}/delete")
async def delete(desk: Desk, request: Request, segment_id: UUID) -> Response[Any]:
    """Forget the filter, when its name was typed; the readers stay."""
    typed = (await form_of(request)).text("typed", most=10_000)
    words = "The segment is deleted; its readers stay as they are."
    try:
        async with desk.transaction() as tx:
            await delete_segment(tx, segment_id, typed)
    except NotFound:
        words = "It was deleted before."
    except Invalid as error:
        return await segment_response(desk, segment_id, "", problems=error.problems)
    return answer(request, to=desk.url("readers/segments"), flash=Flash("ok", words))


@post("/readers/acts")
async def order(desk: Desk, request: Request) -> Response[Any]:
    """Do something with all that a filter finds, once it is confirmed."""
    form = await form_of(request)
    query = form.text("filter", most=LONGEST_QUERY)
    try:
        async with desk.transaction() as tx:
            made = await order_act(tx, await _new_act(tx, desk, form, query))
    except (Invalid, Conflict) as error:
        typed = {name: form.typed(name) for name in _TYPED}
        return await choose_response(desk, query, typed, _problems(error, ""))
    return answer(request, to=desk.url(f"readers/acts/{made}"))


@post("/readers/acts/{act_id:uuid}/undo")
async def undo(desk: Desk, request: Request, act_id: UUID) -> Response[Any]:
    """Take back the tags that it changed."""
    async with desk.transaction() as tx:
        made = await undo_act(tx, act_id, desk.creator.name)
    return answer(request, to=desk.url(f"readers/acts/{made}"))


async def _new_act(tx: Tx, desk: Desk, form: Form, query: str) -> NewAct:
    act, shown = form.text("act"), form.text("shown")
    if act not in get_args(Act) or not (shown.isascii() and shown.isdigit() and len(shown) < 12):
        raise Invalid("This is not one of our forms. Begin again from the list of readers.")
    newsletter = form.text("unsubscribe-newsletter")
    return NewAct(
        act=cast(Act, act),
        filter=await resolved(tx, filter_in(query)),
        shown=int(shown),
        by=desk.creator.name,
        tag=_tag(form, act) if act in ("tag", "untag") else "",
        newsletter_id=_id(newsletter) if act == "unsubscribe" and newsletter else None,
        typed=form.text(f"{act}-typed", most=1000),
    )


def _tag(form: Form, act: str) -> str:
    name = f"{act}-tag"
    checked = Checked()
    found = checked.tags([form.text(name, most=10_000)])
    if checked.problems:
        raise Invalid([Problem(name, checked.problems[0].message)])
    return found[0] if found else ""


def _id(given: str) -> UUID:
    try:
        return UUID(given)
    except ValueError as error:
        wrong = Problem("unsubscribe-newsletter", "There is no such newsletter. Choose one from the list.")
        raise Invalid([wrong]) from error


def _problems(error: GodwitError, name: str) -> tuple[Problem, ...]:
    return error.problems or (Problem(name, error.detail),)


HANDLERS: tuple[Any, ...] = (make, change, delete, order, undo)
