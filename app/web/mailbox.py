"""Who may read the mailbox: this machine, or an operator who is signed in; and only while there is one."""

from litestar import Router
from litestar.connection import ASGIConnection
from litestar.handlers.base import BaseRouteHandler
from litestar.types import ControllerRouterHandler

from app.accounts.guards import database_of, signed_in
from app.answers import is_local
from app.base.errors import Forbidden, Unauthorized
from app.base.settings import settings
from app.mail import pages

_IS_OPERATOR = "select operator from creator where id = :id"


async def guard_mailbox(connection: ASGIConnection, _: BaseRouteHandler) -> None:
    """Raises Unauthorized for a stranger from elsewhere, Forbidden for a creator who is no operator."""
    if is_local(connection):
        return
    async with database_of(connection).transaction() as tx:
        creator = await signed_in(connection, tx)
        operator = creator is not None and await tx.value(_IS_OPERATOR, id=creator.id)
    if creator is None:
        raise Unauthorized("Sign in as an operator to read the mailbox from another machine.")
    if not operator:
        raise Forbidden("The mailbox holds everybody's mail. Only operators read it from another machine.")


def mailbox_routes() -> list[ControllerRouterHandler]:
    """The mailbox's pages while the provider is mailbox, never in production; else nothing."""
    if settings().mail.provider != "mailbox" or settings().mode == "production":
        return []
    return [Router("/", route_handlers=pages.HANDLERS, guards=[guard_mailbox], include_in_schema=False)]
