"""/testing: the calls that are built; the others are told by name."""

import hmac
from typing import Any

from litestar import Request, Response, Router, delete, get, post, route
from litestar.connection import ASGIConnection
from litestar.handlers.base import BaseRouteHandler
from litestar.types import ControllerRouterHandler

from app.answers import is_local
from app.base.database import Database
from app.base.errors import Forbidden, Invalid, NotFound, Problem, Unauthorized
from app.base.rehearsal import follow
from app.base.settings import settings
from app.mail import KINDS, MailFilter, forget_mails
from app.testing import accounts_api, receivers_api
from app.testing import faults as ordered
from app.testing.clock import advance, clock_json
from app.testing.drain import horizon_of, until_quiet
from app.testing.mailbox import mail_json, mails_or_wait
from app.testing.questions import (
    account_asked,
    address,
    body_of,
    database_of,
    moment,
    number,
    refuse_others,
)

MAILBOX = ("to", "kind", "since", "limit", "wait", "account")
MOST, USUAL = 10_000, 100
LONGEST_WAIT = 60.0
BUILT = (
    *("POST /testing/accounts", "POST /testing/sign-in", "POST /testing/reset", "POST /testing/seed"),
    *("GET /testing/mailbox", "DELETE /testing/mailbox", "GET /testing/clock", "POST /testing/clock"),
    *("POST /testing/drain", "GET /testing/faults", "POST /testing/faults", "DELETE /testing/faults"),
    *("DELETE /testing/faults/{id}", "POST /testing/receivers", "GET /testing/receivers/{id}/requests"),
)


async def guard_testing(connection: ASGIConnection, _: BaseRouteHandler) -> None:
    """This machine, or whoever has GODWIT_TESTING_TOKEN; no page of another site.

    Raises Unauthorized, Forbidden.
    """
    origin = connection.headers.get("origin", "")
    if origin and origin.partition("://")[2] != connection.headers.get("host"):
        raise Forbidden("A page of another site may not drive /testing.")
    if is_local(connection):
        return
    wanted = settings().testing_token
    scheme, _space, given = connection.headers.get("authorization", "").partition(" ")
    if not wanted or scheme.lower() != "bearer" or not hmac.compare_digest(given.encode(), wanted.encode()):
        raise Unauthorized(
            "From another machine /testing wants Authorization: Bearer and GODWIT_TESTING_TOKEN."
        )


@get("/")
async def index() -> dict[str, Any]:
    """The calls there are, and what can be made to go wrong."""
    return {"calls": list(BUILT), "faults": ordered.TARGETS}


@get("/mailbox")
async def read_mailbox(request: Request) -> dict[str, Any]:
    """Mails, newest first; with `wait` as soon as one matches."""
    asked = request.query_params
    refuse_others(asked, MAILBOX)
    database = database_of(request)
    most = number(asked, "limit", USUAL, least=1, most=MOST, whole=True)
    wait = number(asked, "wait", 0, least=0, most=LONGEST_WAIT)
    wanted = await _filter(request, database)
    found = await mails_or_wait(database, wanted, most=int(most or USUAL), wait=wait or 0.0)
    return {"items": [mail_json(mail) for mail in found]}


@delete("/mailbox", status_code=200)
async def empty_mailbox(request: Request) -> dict[str, int]:
    """Forget the mails that match, all without a filter."""
    refuse_others(request.query_params, ("to", "kind", "since", "account"))
    database = database_of(request)
    wanted = await _filter(request, database)
    async with database.transaction() as tx:
        return {"deleted": await forget_mails(tx, wanted)}


@post("/drain", status_code=200)
async def drain(request: Request) -> dict[str, Any]:
    """Wait until nothing is due or in hand, and no copy's fate is open."""
    refuse_others(request.query_params, ("account",))
    given = await body_of(request, ("timeout", "advance", "until"))
    timeout = number(given, "timeout", 60, least=0, most=600)
    ahead = horizon_of(given)
    database = database_of(request)
    async with database.transaction() as tx:
        account_id = await account_asked(tx, _account(request))
    return await until_quiet(database, account_id, timeout or 0.0, ahead=ahead)


@get("/clock")
async def read_clock(request: Request) -> dict[str, Any]:
    """What the clock says."""
    refuse_others(request.query_params, ())
    async with database_of(request).transaction() as tx:
        return await clock_json(tx)


@post("/clock", status_code=200)
async def move_clock(request: Request) -> dict[str, Any]:
    """Move the clock that people see and schedule by; every process follows within a second."""
    refuse_others(request.query_params, ())
    given = await body_of(request, ("advance",))
    database = database_of(request)
    async with database.transaction() as tx:
        await advance(tx, given)
        told = await clock_json(tx)
    await follow(database)
    return told


@post("/faults", status_code=201)
async def order_fault(request: Request) -> dict[str, Any]:
    """Order something to go wrong."""
    refuse_others(request.query_params, ("account",))
    order = ordered.order_of(await body_of(request, ordered.OPTIONS))
    async with database_of(request).transaction() as tx:
        told = await ordered.add_fault(tx, order, await account_asked(tx, _account(request)))
    if order.target == "database":
        await ordered.cut_connections()
        async with database_of(request).transaction() as tx:
            told = await ordered.note_fired(tx, told["id"])
    return told


@get("/faults")
async def list_faults(request: Request) -> dict[str, Any]:
    """What an account's tests ordered, and how often each fired; what everybody did when none is named."""
    refuse_others(request.query_params, ("account",))
    async with database_of(request).transaction() as tx:
        return {"items": await ordered.faults(tx, await account_asked(tx, _account(request)))}


@delete("/faults", status_code=200)
async def forget_all_faults(request: Request) -> dict[str, int]:
    """Nothing goes wrong any more of what an account's tests ordered; of all when none is named."""
    refuse_others(request.query_params, ("account",))
    async with database_of(request).transaction() as tx:
        asked = await account_asked(tx, _account(request))
        return {"deleted": await ordered.forget_faults(tx, account_id=asked)}


@delete("/faults/{fault_id:str}", status_code=200)
async def forget_fault(request: Request, fault_id: str) -> dict[str, int]:
    """Take one fault back."""
    refuse_others(request.query_params, ("account",))
    async with database_of(request).transaction() as tx:
        asked = await account_asked(tx, _account(request))
        return {"deleted": await ordered.forget_faults(tx, fault_id, asked)}


@route("/{rest:path}", http_method=["GET", "POST", "PUT", "PATCH", "DELETE"])
async def not_built(request: Request) -> Response[Any]:
    """Whatever else is asked for."""
    raise NotFound(f"There is no {request.method} {request.url.path} yet. There are {', '.join(BUILT)}.")


def _account(request: Request) -> str | None:
    return request.query_params.get("account")


async def _filter(request: Request, database: Database) -> MailFilter:
    asked = request.query_params
    kind = asked.get("kind", "")
    if kind and kind not in KINDS:
        raise Invalid([Problem("kind", f"The kinds there are: {', '.join(KINDS)}.")])
    to, since = address(asked.get("to"), "to"), moment(asked.get("since"), "since")
    async with database.transaction() as tx:
        account_id = await account_asked(tx, asked.get("account"))
    return MailFilter(to=to, kind=kind, since=since, account_id=account_id)


HANDLERS: tuple[Any, ...] = (
    index,
    *accounts_api.HANDLERS,
    read_mailbox,
    empty_mailbox,
    read_clock,
    move_clock,
    drain,
    order_fault,
    list_faults,
    forget_all_faults,
    forget_fault,
    *receivers_api.HANDLERS,
    not_built,
)


def testing_routes() -> list[ControllerRouterHandler]:
    """/testing in testing mode, else nothing (promise 1)."""
    if settings().mode != "testing":
        return []
    return [Router("/testing", route_handlers=HANDLERS, guards=[guard_testing], include_in_schema=False)]
