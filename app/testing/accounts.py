"""Accounts for testers: made and filled at once, emptied, filled anew; and signing in without the mail."""

import asyncio
import secrets
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from litestar.datastructures import Cookie
from sqlalchemy.exc import DBAPIError

from app.accounts import (
    account_named,
    create_account,
    create_api_key,
    list_accounts,
    session_cookie,
    start_session,
)
from app.base import ids
from app.base.database import Database, Tx
from app.base.errors import Conflict, Invalid, NotFound, Problem
from app.base.settings import settings
from app.readers import find_reader, newsletters, reader_cookie, start_reader_session
from app.testing.questions import address
from app.testing.receivers import Receivers
from app.testing.seeds import Names, Recipe, fill, names_of, recipe_of
from app.webhooks import Endpoint, endpoints, live_secrets

#: Somebody wrote into the account in the same moment: deadlock, lock timeout, a row that came meanwhile.
_COLLIDED = ("40P01", "40001", "55P03", "23503")
_TRIES = 5
_LOCK = "select pg_advisory_xact_lock(hashtextextended(cast(:slug as text), 7265030))"
_RESET = "select mailbox.reset(cast(:account as bigint))"
_OWNER = """
select c.id, c.email, c.name from membership m join creator c on c.id = m.creator_id
order by m.created_at, c.id limit 1
"""
_CREATOR = "select id, email, name from creator where email = :email"
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


async def make_account(database: Database, receivers: Receivers, given: Mapping[str, Any]) -> dict[str, Any]:
    """An account by its seed (a random one without). One that is there already is emptied and filled anew."""
    recipe = recipe_of(given, secrets.randbelow(2**31))
    names = names_of(recipe.seed)
    port = await receivers.port() if recipe.endpoints else 0
    async with database.transaction() as tx:
        await tx.value(_LOCK, slug=names.slug)
        known = await account_named(tx, names.slug)
        if known is None:
            await _create(tx, recipe, names)
            await fill_account(tx, recipe, names.slug, port)
    if known is not None:
        await reset(database, known)
        await refill(database, receivers, known, recipe)
    return await _told(database, recipe, names)


async def reset(database: Database, account_id: int | None) -> None:
    """Forget what an account holds (None: what every account holds, the faults, the moved clock).

    Account, team, sessions, keys and first newsletter stay. Tried again while workers write into it.
    """
    for left in reversed(range(_TRIES)):
        try:
            async with database.transaction() as tx:
                await tx.value(_RESET, account=account_id)
            return
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", None) not in _COLLIDED:
                raise
            if not left:
                raise Conflict("Workers are writing into it all the time; drain first.") from error
            await asyncio.sleep(0.02)


async def refill(database: Database, receivers: Receivers, account_id: int, recipe: Recipe) -> str:
    """Fill an account that was emptied; answers its slug."""
    port = await receivers.port() if recipe.endpoints else 0
    async with database.transaction(account_id) as tx:
        slug = str(await tx.value("select slug from account where id = :id", id=account_id))
        await fill_account(tx, recipe, slug, port)
    return slug


async def fill_account(tx: Tx, recipe: Recipe, slug: str, receivers_port: int) -> None:
    """Fill it in the name of its owner."""
    owner = await tx.row(_OWNER)
    assert owner is not None, "an account has an owner"
    await fill(tx, recipe, slug, owner.id, owner.name, receivers_port)


async def the_account(tx: Tx, named: int | None) -> int:
    """The account that is meant: the only one when none is named. Raises Invalid."""
    if named is not None:
        return named
    known = await list_accounts(tx)
    if len(known) != 1:
        slugs = ", ".join(one.slug for one in known[:20]) or "none yet"
        raise Invalid([Problem("account", f"Name the account, such as ?account=slug. There are: {slugs}.")])
    return known[0].id


async def sign_in(database: Database, given: Mapping[str, Any]) -> tuple[Cookie, dict[str, Any]]:
    """A session without the mail: its cookie, and the same as Playwright keeps it.

    A creator's at the studio's host, a reader's at a site's. Raises Invalid, and NotFound when nobody signs
    in with the address there.
    """
    told = {name: given.get(name) or "" for name in ("email", "host")}
    if problems := [
        Problem(name, "This is text.") for name, text in told.items() if not isinstance(text, str)
    ]:
        raise Invalid(problems)
    host = _host(told["host"])
    email = address(told["email"], "email")
    if not email:
        raise Invalid([Problem("email", "Say who signs in.")])
    if slug := _slug(host):
        cookie, kept = await _reader_signed_in(database, slug, email)
    else:
        async with database.transaction() as tx:
            creator = await tx.row(_CREATOR, email=email)
            if creator is None:
                raise NotFound(f"Nobody signs in with {email}.")
            cookie, kept = session_cookie(await start_session(tx, creator.id)), {"creator": _creator(creator)}
    kept |= {"storage_state": storage_state(cookie, host), "set_cookie": cookie.to_header(header="")}
    return cookie, kept


async def _reader_signed_in(database: Database, slug: str, email: str) -> tuple[Cookie, dict[str, Any]]:
    async with database.transaction() as tx:
        account_id = await account_named(tx, slug)
    if account_id is None:
        raise NotFound(f"There is no site {slug}.{settings().site_domain}.")
    async with database.transaction(account_id) as tx:
        reader = await find_reader(tx, email)
        if reader is None:
            raise NotFound(f"{email} is no reader of {slug}.")
        cookie = reader_cookie(await start_reader_session(tx, reader.id))
    return cookie, {"reader": {"id": str(reader.id), "email": reader.email, "name": reader.name}}


def storage_state(cookie: Cookie, host: str) -> dict[str, Any]:
    """A browser that is signed in, as Playwright's `new_context(storage_state=…)` takes it."""
    held = {
        "name": cookie.key,
        "value": cookie.value,
        "domain": host,
        "path": cookie.path,
        "expires": -1,
        "httpOnly": bool(cookie.httponly),
        "secure": bool(cookie.secure),
        "sameSite": "Lax",
    }
    return {"cookies": [held], "origins": []}


async def _create(tx: Tx, recipe: Recipe, names: Names) -> None:
    with ids.seeded(f"account {recipe.seed}"):
        await create_account(
            tx,
            email=names.email,
            name=names.name,
            slug=names.slug,
            postal_address=f"{names.name}, {1 + recipe.seed % 99} Harbour Road, Miranda 2473, New Zealand",
            creator_name=names.creator,
        )


async def _told(database: Database, recipe: Recipe, names: Names) -> dict[str, Any]:
    wanted = settings()
    async with database.transaction() as tx:
        key = await create_api_key(tx, slug=names.slug, name="testing")
        owner = await tx.row(_OWNER)
        assert owner is not None
        cookie = session_cookie(await start_session(tx, owner.id))
        streams = await newsletters(tx)
        told = [await _endpoint(tx, one) for one in await endpoints(tx)]
    return {
        "seed": recipe.seed,
        "slug": names.slug,
        "name": names.name,
        "addresses": {
            "studio": f"{wanted.base_url}/studio/{names.slug}",
            "site": wanted.site_url(names.slug),
            "api": f"{wanted.base_url}/api/v1",
            "mailbox": f"{wanted.base_url}/mailbox",
        },
        "creator": _creator(owner),
        "newsletters": [
            {"id": str(one.id), "slug": one.slug, "name": one.name, "default": one.is_default}
            for one in streams
        ],
        "endpoints": told,
        "api_key": key,
        "storage_state": storage_state(cookie, _host("")),
    }


async def _endpoint(tx: Tx, one: Endpoint) -> dict[str, str]:
    (secret,) = await live_secrets(tx, one.id)
    return {"id": str(one.id), "url": one.url, "secret": secret, "receiver": one.url.rpartition("/")[2]}


def _creator(row: Any) -> dict[str, str]:
    return {"id": str(row.id), "email": row.email, "name": row.name}


def _slug(host: str) -> str:
    """Whose site the host is, '' when it is the studio."""
    name, _, domain = host.partition(".")
    return name if domain == settings().site_domain and host != urlsplit(settings().base_url).hostname else ""


def _host(given: str) -> str:
    """The host that the cookie is for. Raises Invalid for another than the studio's or a site's."""
    studio = urlsplit(settings().base_url).hostname or ""
    try:
        host = (urlsplit(given if "//" in given else f"//{given}").hostname or studio).lower()
    except ValueError:
        host = "?"
    if host == studio or (host in _LOOPBACK and studio in _LOOPBACK):
        return host
    if _slug(host):
        return host
    site = f"{{slug}}.{settings().site_domain}"
    raise Invalid([Problem("host", f"The studio is at {studio}, sites at {site}.")])
