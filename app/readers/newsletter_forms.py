"""What the studio's pages of newsletters send."""

from dataclasses import fields
from typing import Any

from litestar import Request, Response, post

from app.accounts import Desk
from app.answers import Flash, Form, answer, form_of
from app.base.errors import Invalid, NotFound
from app.readers.newsletter_pages import new_page, newsletter_response, settings_page
from app.readers.newsletter_settings import Typed, add_newsletter, change_newsletter
from app.readers.streams import newsletter_by_slug


@post("/newsletters")
async def add(desk: Desk, request: Request) -> Response[Any]:
    """Make a newsletter; what cannot be kept comes back as typed."""
    form = await form_of(request)
    try:
        async with desk.transaction() as tx:
            slug = await add_newsletter(tx, _given(form))
    except Invalid as error:
        return newsletter_response(desk, new_page(desk, _typed(form), error.problems), status=422)
    return answer(
        request, to=desk.url(f"newsletters/{slug}"), flash=Flash("ok", "It is there. Nobody gets it yet.")
    )


@post("/newsletters/{named:str}")
async def change(desk: Desk, request: Request, named: str) -> Response[Any]:
    """Save a newsletter's settings."""
    form = await form_of(request)
    try:
        given = _given(form)
        async with desk.transaction() as tx:
            await change_newsletter(tx, named, given)
    except Invalid as error:
        async with desk.transaction() as tx:
            found = await newsletter_by_slug(tx, named)
        if found is None:
            raise NotFound("There is no such newsletter.") from error
        shown = settings_page(desk, found, _typed(form), error.problems)
        return newsletter_response(desk, shown, status=422)
    return answer(request, to=desk.url(f"newsletters/{named}"), flash=Flash("ok", "Saved."))


def _given(form: Form) -> Typed:
    """Raises Invalid for what no text may hold."""
    texts = {one.name: form.text(one.name, most=100_000) for one in fields(Typed) if one.name != "welcome"}
    return Typed(**texts, welcome=form.checked("welcome"))


def _typed(form: Form) -> Typed:
    """As it can be shown again."""
    texts = {one.name: form.typed(one.name) for one in fields(Typed) if one.name != "welcome"}
    return Typed(**texts, welcome=form.checked("welcome"))


HANDLERS: tuple[Any, ...] = (add, change)
