"""What the studio's pages of imports send."""

from typing import Any
from uuid import UUID

from litestar import Request, Response, post

from app.accounts import Desk
from app.answers import Flash, Form, answer, form_of, page
from app.base.errors import Invalid, Problem, TooLarge
from app.imports.columns import checked_mapping, columns_form
from app.imports.deciding import forget_waiting, import_for_real, name_columns
from app.imports.formats import FIELDS
from app.imports.intake import BODY, checked_format, chosen_file, file_to_import
from app.imports.pages import list_page, show_import, undo_response
from app.imports.runs import NewImport, start_import
from app.imports.undoing import begin_undo, refuse_other_size, undo_size
from app.readers import default_newsletter, newsletter_by_slug

LONGEST_COLUMN = 2000


@post("/imports", request_max_body_size=BODY)
async def upload(desk: Desk, request: Request) -> Response[Any]:
    """Take a file: to the page of its import, or back to the form with what is wrong with it."""
    form = await form_of(request)
    try:
        new = await _new_import(desk, form)
    except (Invalid, TooLarge) as error:
        problems = error.problems or (Problem("file", error.detail),)
        shown = await list_page(
            desk,
            newsletter=form.typed("newsletter"),
            stated=form.checked("consent"),
            problems=problems,
        )
        return page("imports/list.html", status=error.status, shell=desk.shell("readers"), page=shown)
    async with desk.transaction() as tx:
        made = await start_import(tx, new)
    next_step = "Say what its columns mean." if new.waits else "Nobody is mailed by this."
    flash = Flash("ok", f"The file is here. {next_step}")
    return answer(request, to=desk.url(f"imports/{made}"), flash=flash)


@post("/imports/posts", request_max_body_size=BODY)
async def upload_posts(desk: Desk, request: Request) -> Response[Any]:
    """Take a file of posts: to the page of its import, or back to the form."""
    form = await form_of(request)
    try:
        name, content = chosen_file(form)
        found = await file_to_import(content)
        if found.kind != "posts":
            raise Invalid(
                [Problem("file", "This is a table of readers: choose it above, under Your readers.")]
            )
    except (Invalid, TooLarge) as error:
        problems = tuple(Problem("posts", one.message) for one in error.problems)
        shown = await list_page(desk, problems=problems or (Problem("posts", error.detail),))
        return page("imports/list.html", status=error.status, shell=desk.shell("readers"), page=shown)
    async with desk.transaction() as tx:
        stream = await default_newsletter(tx)
        new = NewImport(
            stream.id,
            found.format,
            name,
            content,
            desk.creator.name,
            dry_run=form.checked("dry_run"),
            kind="posts",
        )
        made = await start_import(tx, new)
    flash = Flash("ok", "The file is here. Nobody is mailed by this.")
    return answer(request, to=desk.url(f"imports/{made}"), flash=flash)


@post("/imports/{import_id:uuid}/columns")
async def say_columns(desk: Desk, request: Request, import_id: UUID) -> Response[Any]:
    """What the columns mean; back to the form with what is wrong."""
    form = await form_of(request)
    chosen = {field: form.text(field, most=LONGEST_COLUMN) for field in FIELDS}
    stated = form.checked("consent")
    async with desk.transaction() as tx:
        shown = await columns_form(tx, import_id, chosen, stated=stated)
        try:
            mapping = checked_mapping(shown, chosen)
        except Invalid as error:
            mapping, problems = None, error.problems
        else:
            problems = ()
            await name_columns(tx, import_id, mapping, stated=stated, dry_run=form.checked("dry_run"))
    if mapping is None:
        return await show_import(desk, import_id, chosen=chosen, stated=stated, problems=problems, status=422)
    return answer(request, to=desk.url(f"imports/{import_id}"))


@post("/imports/{import_id:uuid}/for-real")
async def make_real(desk: Desk, request: Request, import_id: UUID) -> Response[Any]:
    """Import what a dry run showed."""
    async with desk.transaction() as tx:
        made = await import_for_real(tx, import_id, desk.creator.name)
    return answer(
        request, to=desk.url(f"imports/{made}"), flash=Flash("ok", "Now for real. Nobody is mailed by this.")
    )


@post("/imports/{import_id:uuid}/give-up")
async def give_up(desk: Desk, request: Request, import_id: UUID) -> Response[Any]:
    """Forget a file whose columns nobody names."""
    async with desk.transaction() as tx:
        await forget_waiting(tx, import_id)
    return answer(request, to=desk.url("imports"), flash=Flash("ok", "The file is forgotten."))


@post("/imports/{import_id:uuid}/undo")
async def undo(desk: Desk, request: Request, import_id: UUID) -> Response[Any]:
    """Take back what an import did, if that is still as much as the page said."""
    shown = (await form_of(request)).text("shown", most=20)
    try:
        async with desk.transaction() as tx:
            size = await undo_size(tx, import_id)
            await begin_undo(tx, import_id, desk.creator.name)
            refuse_other_size(size, shown)
    except Invalid as error:
        return await undo_response(desk, import_id, error.problems)
    return answer(request, to=desk.url(f"imports/{import_id}"))


async def _new_import(desk: Desk, form: Form) -> NewImport:
    name, content = chosen_file(form)
    found = await checked_format(content)
    async with desk.transaction() as tx:
        newsletter = await newsletter_by_slug(tx, form.text("newsletter", most=63))
    if newsletter is None:
        raise Invalid([Problem("newsletter", "Choose the newsletter that these readers get.")])
    return NewImport(
        newsletter.id,
        found.format,
        name,
        content,
        desk.creator.name,
        dry_run=form.checked("dry_run"),
        consent_stated=form.checked("consent"),
        mapping=found.mapping,
        waits=found.mapping is not None,
    )


HANDLERS: tuple[Any, ...] = (upload, upload_posts, say_columns, make_real, give_up, undo)
