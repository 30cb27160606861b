"""What the studio's pages of imports send."""

from typing import Any

from litestar import Request, Response, post

from app.accounts import Desk
from app.answers import Flash, Form, answer, form_of, page
from app.base.errors import Invalid, Problem, TooLarge
from app.imports.intake import BODY, checked_format, chosen_file
from app.imports.pages import list_page
from app.imports.runs import NewImport, start_import
from app.readers import newsletter_by_slug


@post("/imports", request_max_body_size=BODY)
async def upload(desk: Desk, request: Request) -> Response[Any]:
    """Take a file: to the page of its import, or back to the form with what is wrong with it."""
    form = await form_of(request)
    try:
        new = await _new_import(desk, form)
    except (Invalid, TooLarge) as error:
        problems = error.problems or (Problem("file", error.detail),)
        shown = await list_page(desk, newsletter=form.text("newsletter"), problems=problems)
        return page("imports/list.html", status=error.status, shell=desk.shell("readers"), page=shown)
    async with desk.transaction() as tx:
        made = await start_import(tx, new)
    return answer(
        request,
        to=desk.url(f"imports/{made}"),
        flash=Flash("ok", "The file is here. Nobody is mailed by this."),
    )


async def _new_import(desk: Desk, form: Form) -> NewImport:
    name, content = chosen_file(form)
    format = await checked_format(content)
    async with desk.transaction() as tx:
        newsletter = await newsletter_by_slug(tx, form.text("newsletter", most=63))
    if newsletter is None:
        raise Invalid([Problem("newsletter", "Choose the newsletter that these readers get.")])
    return NewImport(newsletter.id, format, name, content, desk.creator.name)


HANDLERS: tuple[Any, ...] = (upload,)
