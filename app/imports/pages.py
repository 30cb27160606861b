"""The studio's pages of imports: the list with its form, one import as it goes on."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from litestar import Request, Response, get

from app.accounts import Desk
from app.answers import Cursor, fragment, page
from app.base.errors import NotFound, Problem
from app.imports.queries import ImportView, RowProblem, import_problems, import_view, import_views
from app.readers import Newsletter, newsletters

GONE = "There is no such import."
PAGE = 50
_FRESH = {"Cache-Control": "no-store"}


@dataclass(frozen=True)
class ListPage:
    """The form for a file, with what is wrong with the last one, and the imports so far."""

    url: str
    newsletters: tuple[Newsletter, ...]
    newsletter: str
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
    """One import. `problems` are the next rows that were not taken; `further` leads to those behind them."""

    view: ImportView
    problems: tuple[RowProblem, ...]
    further: str
    first: str
    url: str
    readers: str
    imports: str


@get("/imports", name="studio.imports")
async def show_list(desk: Desk, request: Request) -> Response[str]:
    """Upload a file; see what came of those before."""
    shown = await list_page(desk, cursor=request.query_params.get("cursor", ""))
    return page("imports/list.html", headers=_FRESH, shell=desk.shell("readers"), page=shown)


@get("/imports/{import_id:uuid}", name="studio.import")
async def show(desk: Desk, request: Request, import_id: UUID) -> Response[str]:
    """One import, live while it goes on."""
    shown = await import_page(desk, import_id, request.query_params.get("after", ""))
    return page("imports/show.html", headers=_FRESH, shell=desk.shell("readers"), page=shown)


@get("/imports/{import_id:uuid}/progress")
async def show_progress(desk: Desk, import_id: UUID) -> Response[str]:
    """The part of the page that changes, for htmx to ask again."""
    shown = await import_page(desk, import_id)
    return fragment("imports/_progress.html", headers=_FRESH, page=shown, zone=desk.account.zone)


async def list_page(
    desk: Desk, *, cursor: str = "", newsletter: str = "", problems: tuple[Problem, ...] = ()
) -> ListPage:
    """The list as it stands; `problems` and `newsletter` are of a form that came back."""
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
        problems=problems,
        imports=tuple(found[:PAGE]),
        older=f"{url}?cursor={Cursor.encode(last.created_at, last.id)}" if last else "",
        first=url if cursor else "",
    )


async def import_page(desk: Desk, import_id: UUID, after: str = "") -> ImportPage:
    """One import and a page of its problems. Raises NotFound."""
    row = int(after) if after.isascii() and after.isdigit() and len(after) < 9 else 0
    async with desk.transaction() as tx:
        view = await import_view(tx, import_id)
        if view is None:
            raise NotFound(GONE)
        problems = await import_problems(tx, import_id, after=row, limit=PAGE + 1)
    url = desk.url(f"imports/{import_id}")
    return ImportPage(
        view=view,
        problems=tuple(problems[:PAGE]),
        further=f"{url}?after={problems[PAGE - 1].row}#problems" if len(problems) > PAGE else "",
        first=f"{url}#problems" if row else "",
        url=url,
        readers=desk.url("readers"),
        imports=desk.url("imports"),
    )


HANDLERS: tuple[Any, ...] = (show_list, show, show_progress)
