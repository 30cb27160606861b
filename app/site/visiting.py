"""Who comes to a site, and how a page is made for them: once for everybody, anew for a reader."""

from collections.abc import Awaitable, Callable
from typing import Any, cast

from litestar import Request, Response
from litestar.connection import ASGIConnection
from litestar.datastructures import State
from litestar.handlers.base import BaseRouteHandler

from app.accounts import SiteVisit, keep_visit
from app.base.database import Database, Tx
from app.plans import NOBODY, Viewer, viewer_of
from app.readers import READER_COOKIE, session_of, slide_session
from app.site.caching import brings, private, rendered_as, shared
from app.site.editions import Edition, Editions, Key

_EDITION = "godwit.edition"
Body = tuple[bytes, str]
"""An answer's bytes and its type."""
Make = Callable[[Tx, Viewer], Awaitable[Body]]


async def guard_site(connection: ASGIConnection, _: BaseRouteHandler) -> None:
    """Anybody, on a host that is an account's; leaves the visit and the edition. Raises NotFound."""
    scope = cast("dict[str, Any]", connection.scope)
    found = await editions_of(connection).current(scope.get("godwit.site", ""))
    scope[_EDITION] = found
    keep_visit(connection, SiteVisit(found.account, _database(connection), found.links))


async def edition_of(request: Request) -> Edition:
    """The dependency `edition`, behind `guard_site`."""
    return cast("dict[str, Any]", request.scope)[_EDITION]


def editions_of(connection: ASGIConnection) -> Editions:
    """This process's editions."""
    return editions_in(connection.app.state)


def editions_in(state: State) -> Editions:
    """The editions of an application; made anew for another database, as tests have them."""
    found: Editions | None = getattr(state, "editions", None)
    if found is None or found.database is not state.database:
        found = state.editions = Editions(state.database)
    return found


def is_reader(connection: ASGIConnection) -> bool:
    """Whether a reader's cookie comes along, whoever's it is: then the answer is for nobody else."""
    return brings(connection.scope["headers"], READER_COOKIE)


async def shown(request: Request, edition: Edition, key: Key, make: Make) -> Response[bytes]:
    """The page kept under `key`, or made now; for a reader made each time and kept by nobody."""
    editions = editions_of(request)
    account_id = edition.account.id
    if is_reader(request):
        async with editions.look(account_id) as tx:
            session = await session_of(tx, request.cookies)
            viewer = await viewer_of(tx, session.reader_id if session else None)
            page = rendered_as(*await make(tx, viewer))
        if session and session.due:
            async with editions.database.transaction(account_id) as tx:
                await slide_session(tx, request.cookies)
        return private(page)
    page = editions.recall(edition, key)
    if page is None:
        async with editions.look(account_id) as tx:
            page = rendered_as(*await make(tx, NOBODY))
        editions.keep(edition, key, page)
    return shared(request, page)


def _database(connection: ASGIConnection) -> Database:
    return cast(Database, connection.app.state.database)
