"""Who may enter: the guards in front of the studio, the API and the sites.

A guard runs for every route mounted behind it, whether or not the handler asks for anything;
it leaves whom it found (visitors.py) on the request, where the dependencies `desk`, `caller` and `visit`
pick it up. Which routes stand behind which guard is one table, web/routes.py.
"""

import hmac
from typing import Any, cast

from litestar import Request
from litestar.connection import ASGIConnection
from litestar.handlers.base import BaseRouteHandler

from app.accounts.api_keys import PREFIX, key_hashes, note_use
from app.accounts.queries import Creator, account_in, account_of
from app.accounts.rights import acts_of
from app.accounts.sessions import cookie_name, slide_session, token_hashes
from app.accounts.visitors import ApiCaller, Desk, Operator, SiteVisit
from app.answers import Halt, allow_here, is_local
from app.base.database import Database, Tx
from app.base.errors import Forbidden, NotFound, TooMany, Unauthorized
from app.base.settings import settings
from app.limits import allow
from app.switches import Switch, switches_of

_DESK, _CALLER, _VISIT, _OPERATOR = "godwit.desk", "godwit.caller", "godwit.visit", "godwit.operator"
API_BURST = 4  # times the rate

_AT_DESK = """
select c.id, c.email, c.name, c.operator, m.account_id, m.role, m.publications
from creator_session s
join creator c on c.id = s.creator_id
left join lateral (select *, count(*) over () as publications from memberships_of(c.id)) m
    on m.slug = :slug
where s.token_hash = any(:hashes) and s.expires_at > godwit_now()
"""
_IS_OPERATOR = """
select c.operator, c.id, c.email, c.name from creator_session s join creator c on c.id = s.creator_id
where s.token_hash = any(:hashes) and s.expires_at > godwit_now()
"""
_BY_KEY = "select account_id from account_by_key(:hashes)"
_BY_ACCOUNT = """
select a.id, a.slug, a.name, a.description, a.postal_address, a.sender_name, a.reply_to, a.locale, a.zone,
       a.undo_seconds, a.state, k.id as key_id, k.name as key_name,
       k.used_at is null or k.used_at < godwit_now() - interval '1 minute' or k.key_hash <> :newest as to_note
from api_key k join account a on a.id = k.account_id
where k.account_id = :account and k.key_hash = any(:hashes) and k.revoked_at is null
"""
_KEYS_REMEMBERED = 10_000
#: Whose a key is, by its newest hash. That never changes; whether the key is live is asked each time.
_accounts: dict[bytes, int] = {}


async def guard_desk(connection: ASGIConnection, _: BaseRouteHandler) -> None:
    """Only a creator who belongs to the account in the path. Raises Unauthorized, or NotFound (promise 5)."""
    database = database_of(connection)
    token = connection.cookies.get(cookie_name(), "")
    async with database.transaction() as tx:
        found = (
            await tx.row(_AT_DESK, hashes=token_hashes(token), slug=connection.path_params["slug"])
            if token
            else None
        )
        if found is None:
            raise Unauthorized("Sign in to open this page.")
        if found.account_id is None:
            raise NotFound("There is no such publication, or you do not belong to its team.")
        await slide_session(tx, token)
        await tx.enter_account(found.account_id)
        account = await account_of(tx)
        switches = await switches_of(tx)
    creator = Creator(found.id, found.email, found.name, found.operator)
    allow_here(acts_of(found.role))
    halts = (*_halt(switches.platform, everywhere=True), *_halt(switches.own, everywhere=False))
    elsewhere = found.publications > 1
    _keep(connection, _DESK, Desk(account, creator, found.role, database, connection, halts, elsewhere))


def _halt(switch: Switch, *, everywhere: bool) -> tuple[Halt, ...]:
    if not switch.holding or switch.changed_at is None:
        return ()
    scope = switch.scope if switch.stopped else switch.held_scope or switch.scope
    said = (switch.stopped, scope, switch.changed_at, switch.changed_by, switch.reason)
    return (Halt(*said, everywhere, switch.holds_more),)


async def guard_api(connection: ASGIConnection, _: BaseRouteHandler) -> None:
    """Only a program with a live key, within its rate. Raises Unauthorized, TooMany."""
    await caller_of(connection)


async def caller_of(connection: ASGIConnection) -> ApiCaller:
    """Who calls; looked up once a request. Raises Unauthorized, TooMany."""
    known = _kept(connection, _CALLER)
    if known is not None:
        return cast(ApiCaller, known)
    scheme, _, key = connection.headers.get("authorization", "").partition(" ")
    key = key.strip()
    if scheme.lower() != "bearer" or not key.startswith(PREFIX):
        raise Unauthorized(
            "Send an API key: Authorization: Bearer gdw_… (make one in the studio’s settings)."
        )
    database, hashes = database_of(connection), key_hashes(key)
    known_id = _accounts.get(hashes[0])
    # What is written here, a count and a time of use, need not outlive the server.
    async with database.transaction(known_id, lasting=False) as tx:
        found = await _key_of(tx, known_id, hashes) or await _looked_up(tx, hashes)
        await _limit(tx, f"api:{found.key_id}")
        if found.to_note:
            await note_use(tx, found.key_id, key)
    caller = ApiCaller(account_in(found), found.key_name, database, connection.headers.get("idempotency-key"))
    _keep(connection, _CALLER, caller)
    return caller


async def _key_of(tx: Tx, account_id: int | None, hashes: list[bytes]) -> Any:
    """The live key's row with its account's, when it is this account's; the transaction is within it."""
    if account_id is None:
        return None
    return await tx.row(_BY_ACCOUNT, account=account_id, hashes=hashes, newest=hashes[0])


async def _looked_up(tx: Tx, hashes: list[bytes]) -> Any:
    """The same, whoever's it is. Raises Unauthorized."""
    account_id = await tx.value(_BY_KEY, hashes=hashes)
    if account_id is None:
        raise Unauthorized("This API key is not known, or was revoked.")
    await tx.enter_account(account_id)
    if len(_accounts) >= _KEYS_REMEMBERED:
        _accounts.clear()
    _accounts[hashes[0]] = account_id
    found = await _key_of(tx, account_id, hashes)
    assert found is not None
    return found


def keep_visit(connection: ASGIConnection, visit: SiteVisit) -> None:
    """Leave who came to a site for the handlers behind the guard that found out (app/site/visiting.py)."""
    _keep(connection, _VISIT, visit)


async def guard_machine(connection: ASGIConnection, _: BaseRouteHandler) -> None:
    """Whoever sits at this machine, or a signed-in operator. Raises Unauthorized, Forbidden."""
    if is_local(connection):
        return
    if await _operator(connection) is None:
        raise Forbidden("This page is for whoever runs this Godwit, on its own machine or signed in.")


async def guard_metrics(connection: ASGIConnection, handler: BaseRouteHandler) -> None:
    """Whoever has GODWIT_METRICS_TOKEN, this machine, or an operator. Raises Forbidden alone."""
    scheme, _, given = connection.headers.get("authorization", "").partition(" ")
    wanted, bearer = settings().metrics_token, scheme.lower() == "bearer"
    if bearer and wanted and hmac.compare_digest(given.strip().encode(), wanted.encode()):
        return
    try:
        if bearer:
            raise Unauthorized("That is another token.")
        await guard_machine(connection, handler)
    except (Forbidden, Unauthorized) as error:
        words = (
            "Metrics are for this machine, an operator who is signed in, or GODWIT_METRICS_TOKEN as bearer."
        )
        raise Forbidden(words) from error


async def guard_operator(connection: ASGIConnection, _: BaseRouteHandler) -> None:
    """Only a signed-in operator. Raises Unauthorized, Forbidden."""
    creator = await _operator(connection)
    if creator is None:
        raise Forbidden("This page is for whoever runs this Godwit.")
    operators = cast(Database, connection.app.state.operators)
    _keep(connection, _OPERATOR, Operator(creator, operators, connection))


async def _operator(connection: ASGIConnection) -> Creator | None:
    """Who is signed in, if they are an operator. Raises Unauthorized."""
    token = connection.cookies.get(cookie_name(), "")
    async with database_of(connection).transaction() as tx:
        found = await tx.row(_IS_OPERATOR, hashes=token_hashes(token)) if token else None
    if found is None:
        raise Unauthorized("Sign in to open this page.")
    return Creator(found.id, found.email, found.name) if found.operator else None


async def signed_in(connection: ASGIConnection, tx: Tx) -> Creator | None:
    """The creator whose session this browser brings, for pages that belong to no account."""
    token = connection.cookies.get(cookie_name(), "")
    if not token:
        return None
    found = await tx.row(_AT_DESK, hashes=token_hashes(token), slug="")
    return Creator(found.id, found.email, found.name) if found else None


def database_of(connection: ASGIConnection) -> Database:
    """The web process's pool."""
    return cast(Database, connection.app.state.database)


async def desk_of(request: Request) -> Desk:
    """The dependency `desk`, behind `guard_desk`."""
    return cast(Desk, _kept(request, _DESK))


async def operator_of(request: Request) -> Operator:
    """The dependency `operator`, behind `guard_operator`."""
    return cast(Operator, _kept(request, _OPERATOR))


async def known_caller(request: Request) -> ApiCaller:
    """The dependency `caller`, behind `guard_api`."""
    return cast(ApiCaller, _kept(request, _CALLER))


async def visit_of(request: Request) -> SiteVisit:
    """The dependency `visit`, behind `guard_site`."""
    return cast(SiteVisit, _kept(request, _VISIT))


async def _limit(tx: Tx, bucket: str) -> None:
    rate = settings().api_rate
    if settings().limits_off or not rate:
        return
    wait = await allow(tx, bucket, rate, rate * API_BURST)
    if wait:
        raise TooMany(f"This key may call {rate:g} times a second.", retry_after=int(wait) + 1)


def _keep(connection: ASGIConnection, name: str, value: Any) -> None:
    cast("dict[str, Any]", connection.scope)[name] = value


def _kept(connection: ASGIConnection, name: str) -> Any:
    return cast("dict[str, Any]", connection.scope).get(name)
