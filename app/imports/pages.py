"""The studio's pages of imports: the list with its form, one import as it goes on, its undoing."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from litestar import Request, Response, get

from app.accounts import Desk
from app.answers import Cursor, fragment, page
from app.base.errors import NotFound, Problem
from app.imports.columns import ColumnsForm, columns_form
from app.imports.queries import (
    ImportView,
    Loss,
    RowProblem,
    import_losses,
    import_problems,
    import_view,
    import_views,
    loss_count,
)
from app.imports.reports import loss_report, row_report
from app.imports.undoing import UndoSize, undo_size
from app.imports.whole import pages as export_pages
from app.readers import Newsletter, newsletters

GONE = "There is no such import."
PAGE = 50
MOST_LOSSES = 1_000_000
_FRESH = {"Cache-Control": "no-store"}


@dataclass(frozen=True)
class ListPage:
    """The form for a file, with what is wrong with the last one, and the imports so far."""

    url: str
    newsletters: tuple[Newsletter, ...]
    newsletter: str
    stated: bool
    problems: tuple[Problem, ...]
    imports: tuple[ImportView, ...]
    older: str
    first: str

    @property
    def newsletter_choices(self) -> list[tuple[str, str]]:
        """For a select: (value, words)."""
        return [(one.slug, one.name) for one in self.newsletters]


@dataclass(frozen=True)
class ImportPage:
    """One import. `problems` are the next rows that were not taken; `further` leads to those behind them.

    `columns` is the form of one that waits for its columns.
    """

    view: ImportView
    columns: ColumnsForm | None
    problems: tuple[RowProblem, ...]
    losses: tuple[Loss, ...]
    losses_in_all: int
    further: str
    first: str
    url: str
    readers: str
    imports: str


@dataclass(frozen=True)
class UndoPage:
    """What undoing an import would do, counted now."""

    view: ImportView
    size: UndoSize
    url: str
    readers: str
    imports: str
    problems: tuple[Problem, ...] = ()


@get("/imports", name="studio.imports")
async def show_list(desk: Desk, request: Request) -> Response[str]:
    """Upload a file; see what came of those before."""
    shown = await list_page(desk, cursor=request.query_params.get("cursor", ""))
    return page("imports/list.html", headers=_FRESH, shell=desk.shell("readers"), page=shown)


@get("/imports/{import_id:uuid}", name="studio.import")
async def show(desk: Desk, request: Request, import_id: UUID) -> Response[str]:
    """One import, live while it goes on."""
    return await show_import(desk, import_id, after=request.query_params.get("after", ""))


@get("/imports/{import_id:uuid}/rows.csv")
async def show_rows(desk: Desk, import_id: UUID) -> Response[bytes]:
    """Every row that was not taken, as a file."""
    async with desk.transaction() as tx:
        view = await import_view(tx, import_id)
        if view is None:
            raise NotFound(GONE)
        problems = await import_problems(tx, import_id, limit=view.skipped + view.failed + 1)
    headers = {"Content-Disposition": f'attachment; filename="rows-{import_id}.csv"', **_FRESH}
    return Response(row_report(problems), media_type="text/csv", headers=headers)


@get("/imports/{import_id:uuid}/losses.csv")
async def show_losses(desk: Desk, import_id: UUID) -> Response[bytes]:
    """All that did not survive of posts, as a file."""
    async with desk.transaction() as tx:
        if await import_view(tx, import_id) is None:
            raise NotFound(GONE)
        losses = await import_losses(tx, import_id, limit=MOST_LOSSES)
    headers = {"Content-Disposition": f'attachment; filename="losses-{import_id}.csv"', **_FRESH}
    return Response(loss_report(losses), media_type="text/csv", headers=headers)


@get("/imports/{import_id:uuid}/undo")
async def show_undo(desk: Desk, import_id: UUID) -> Response[str]:
    """What undoing would do, and the button."""
    return await undo_response(desk, import_id)


@get("/imports/{import_id:uuid}/progress")
async def show_progress(desk: Desk, import_id: UUID) -> Response[str]:
    """The part of the page that changes, for htmx to ask again."""
    shown = await import_page(desk, import_id)
    return fragment("imports/_progress.html", headers=_FRESH, page=shown, zone=desk.account.zone)


async def undo_response(desk: Desk, import_id: UUID, problems: tuple[Problem, ...] = ()) -> Response[str]:
    """The page of what undoing would do, counted now. Raises NotFound."""
    async with desk.transaction() as tx:
        view = await import_view(tx, import_id)
        if view is None:
            raise NotFound(GONE)
        size = await undo_size(tx, import_id)
    here, status = desk.url(f"imports/{import_id}"), 422 if problems else 200
    shown = UndoPage(view, size, here, desk.url("readers"), desk.url("imports"), problems)
    shell = desk.shell("readers")
    return page("imports/undo.html", status=status, headers=_FRESH, shell=shell, page=shown)


async def show_import(
    desk: Desk,
    import_id: UUID,
    *,
    after: str = "",
    chosen: dict[str, str] | None = None,
    stated: bool = False,
    problems: tuple[Problem, ...] = (),
    status: int = 200,
) -> Response[str]:
    """The page of one import; `chosen`, `stated` and `problems` are of a form that came back."""
    shown = await import_page(desk, import_id, after, chosen=chosen, stated=stated, problems=problems)
    return page("imports/show.html", status=status, headers=_FRESH, shell=desk.shell("readers"), page=shown)


async def list_page(
    desk: Desk,
    *,
    cursor: str = "",
    newsletter: str = "",
    stated: bool = False,
    problems: tuple[Problem, ...] = (),
) -> ListPage:
    """The list as it stands; what else is given is of a form that came back."""
    older = Cursor.decode(cursor, datetime, UUID) if cursor else None
    async with desk.transaction() as tx:
        found = await import_views(tx, older, PAGE + 1)
        streams = await newsletters(tx)
    url = desk.url("imports")
    last = found[PAGE - 1] if len(found) > PAGE else None
    return ListPage(
        url=url,
        newsletters=tuple(streams),
        newsletter=newsletter or streams[0].slug,
        stated=stated,
        problems=problems,
        imports=tuple(found[:PAGE]),
        older=f"{url}?cursor={Cursor.encode(last.created_at, last.id)}" if last else "",
        first=url if cursor else "",
    )


async def import_page(
    desk: Desk,
    import_id: UUID,
    after: str = "",
    *,
    chosen: dict[str, str] | None = None,
    stated: bool = False,
    problems: tuple[Problem, ...] = (),
) -> ImportPage:
    """One import and a page of its problems. Raises NotFound."""
    row = int(after) if after.isascii() and after.isdigit() and len(after) < 9 else 0
    async with desk.transaction() as tx:
        view = await import_view(tx, import_id)
        if view is None:
            raise NotFound(GONE)
        rows = await import_problems(tx, import_id, after=row, limit=PAGE + 1)
        losses = await import_losses(tx, import_id, limit=PAGE) if view.kind == "posts" else []
        in_all = await loss_count(tx, import_id) if losses else 0
        columns = None
        if view.state == "waiting":
            columns = await columns_form(
                tx, import_id, chosen, stated=stated or view.consent_stated, problems=problems
            )
    url = desk.url(f"imports/{import_id}")
    return ImportPage(
        view=view,
        columns=columns,
        problems=tuple(rows[:PAGE]),
        losses=tuple(losses),
        losses_in_all=in_all,
        further=f"{url}?after={rows[PAGE - 1].row}#problems" if len(rows) > PAGE else "",
        first=f"{url}#problems" if row else "",
        url=url,
        readers=desk.url("readers"),
        imports=desk.url("imports"),
    )


HANDLERS: tuple[Any, ...] = (
    show_list,
    show,
    show_progress,
    show_rows,
    show_losses,
    show_undo,
    *export_pages.HANDLERS,
)
