"""Imports in the JSON API: a file as the body, or as a form's `file`."""

from datetime import datetime
from typing import Any
from uuid import UUID

from litestar import Request, get, post

from app.accounts import ApiCaller
from app.answers import PAGED, Option, asks, paging_of, takes
from app.base.database import Tx
from app.base.errors import Invalid, NotFound, Problem
from app.imports.formats import titles
from app.imports.intake import BODY, file_to_import, uploaded
from app.imports.items import ImportPage, ImportReport, import_item, import_report
from app.imports.queries import import_losses, import_problems, import_view, import_views, loss_count
from app.imports.runs import NewImport, start_import
from app.readers import default_newsletter, newsletter_by_slug

GONE = "There is no such import."
MOST_ERRORS = 1000
FILE = (
    "Readers: a CSV, of one of the formats or of any. Posts: Ghost’s JSON, or a zip with it and its pictures;"
    " Substack’s zip. Which it is, is found out."
)
_YES, _NO = ("1", "true", "yes"), ("", "0", "false", "no")
_DRY = ("1", "true", "yes", "0", "false", "no")


@post(
    "/imports",
    status_code=202,
    request_max_body_size=BODY,
    opt=takes(FILE, "text/csv", "application/json", "application/zip")
    | asks(
        Option("format", "What wrote the file; found out when left out.", one_of=("auto", *titles())),
        Option("newsletter", "The slug of the newsletter that they get; the default one when left out."),
        Option("dry_run", "1: report what would happen, and change nothing.", one_of=_DRY),
        Option("consent", "stated: everybody in it agreed to get this newsletter.", one_of=("stated",)),
    ),
)
async def create_import(caller: ApiCaller, request: Request) -> ImportReport:
    """Take a file of readers or of posts: 202; ask for its id to see how far it is. Neither: 422.

    `?dry_run=1` reports and changes nothing. Who was subscribed where they come from is so at once; those of
    whom the file does not say are pending, unless `?consent=stated` says that they agreed. Posts come with
    their dates, and those that were public are on the site at once. Nobody is mailed.
    """
    dry_run, stated = _options(request)
    name, content = await uploaded(request)
    found = await file_to_import(content, request.query_params.get("format", "auto"))
    if found.kind == "posts":
        _refuse_readers_options(request)
    async with caller.transaction() as tx:
        new = NewImport(
            newsletter_id=await _newsletter(tx, request.query_params.get("newsletter")),
            format=found.format,
            file_name=name,
            content=content,
            made_by=f"the API ({caller.key_name})",
            dry_run=dry_run,
            consent_stated=stated,
            mapping=found.mapping,
            kind=found.kind,
        )
        made = await start_import(tx, new)
        return await _told(tx, made)


@get("/imports", opt=asks(*PAGED))
async def list_imports(caller: ApiCaller, request: Request) -> ImportPage:
    """Newest first, each without its errors."""
    paging = paging_of(request)
    async with caller.transaction() as tx:
        found = await import_views(tx, paging.after(datetime, UUID), paging.limit + 1)
    shown, following = paging.cut(found, lambda one: (one.created_at, one.id))
    return ImportPage([import_item(one) for one in shown], following)


@get("/imports/{import_id:uuid}")
async def show_import(caller: ApiCaller, import_id: UUID) -> ImportReport:
    """How far it is, and the first thousand rows that were not taken."""
    async with caller.transaction() as tx:
        return await _told(tx, import_id)


async def _told(tx: Tx, import_id: UUID) -> ImportReport:
    view = await import_view(tx, import_id)
    if view is None:
        raise NotFound(GONE)
    problems = await import_problems(tx, import_id, limit=MOST_ERRORS)
    losses = await import_losses(tx, import_id, limit=MOST_ERRORS)
    return import_report(view, problems, losses, await loss_count(tx, import_id))


async def _newsletter(tx: Tx, slug: str | None) -> UUID:
    if slug is None:
        return (await default_newsletter(tx)).id
    found = None if "\0" in slug else await newsletter_by_slug(tx, slug)
    if found is None:
        raise Invalid([Problem("newsletter", f"There is no newsletter “{slug[:60]}”.")])
    return found.id


def _options(request: Request) -> tuple[bool, bool]:
    """`dry_run` and `consent`. Raises Invalid for a word that is neither: a misspelt wish is not a no."""
    dry_run = request.query_params.get("dry_run", "").lower()
    consent = request.query_params.get("consent", "")
    problems = []
    if dry_run not in (*_YES, *_NO):
        problems.append(Problem("dry_run", "Say dry_run=1 to change nothing, or leave it out."))
    if consent not in ("", "stated"):
        problems.append(Problem("consent", "Say consent=stated if everybody in it agreed, or nothing."))
    if problems:
        raise Invalid(problems)
    return dry_run in _YES, consent == "stated"


def _refuse_readers_options(request: Request) -> None:
    wrong = [name for name in ("newsletter", "consent") if request.query_params.get(name)]
    if wrong:
        raise Invalid([Problem(name, f"This is a file of posts: leave {name} out.") for name in wrong])


HANDLERS: tuple[Any, ...] = (create_import, list_imports, show_import)
