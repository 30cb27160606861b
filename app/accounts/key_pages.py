"""The studio's pages of API keys: what there is, one to be revoked, one that was just made."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from litestar import Request, Response, get, post

from app.accounts.api_keys import live_key, make_key, revoke_key
from app.accounts.queries import api_keys
from app.accounts.visitors import Desk
from app.answers import Flash, answer, form_of, page
from app.base import ids
from app.base.errors import Conflict, Invalid, Problem


@get("/keys")
async def keys(desk: Desk) -> Response[Any]:
    """The keys that work, and the form for another."""
    return await _listed(desk)


@post("/keys")
async def make(desk: Desk, request: Request) -> Response[Any]:
    """A new key, shown on the answer and never again; loading the answer anew makes no second one."""
    form = await form_of(request)
    name = form.typed("name")
    try:
        wanted = _id(form.text("id"))
        async with desk.transaction() as tx:
            key = await make_key(tx, wanted, form.text("name", most=1000))
    except (Invalid, Conflict) as error:
        return await _listed(desk, name, error.problems or (Problem("", error.detail),))
    shown = {"shell": desk.shell("settings"), "key": key, "name": name.strip()}
    return page("accounts/key_made.html", headers={"Cache-Control": "no-store"}, **shown)


@get("/keys/{key_id:uuid}")
async def key_page(desk: Desk, key_id: UUID) -> Response[Any]:
    """What revoking it would mean, and the button."""
    async with desk.transaction() as tx:
        found = await live_key(tx, key_id)
    return page("accounts/key.html", shell=desk.shell("settings"), key=found)


@post("/keys/{key_id:uuid}/revoke")
async def revoke(desk: Desk, request: Request, key_id: UUID) -> Response[Any]:
    """Nobody gets in with it from now on."""
    async with desk.transaction() as tx:
        name = await revoke_key(tx, key_id)
    words = f"The key “{name}” is revoked: programs that use it are refused from now on."
    return answer(request, to=desk.url("keys"), flash=Flash("ok", words))


async def _listed(desk: Desk, typed: str = "", problems: Sequence[Problem] = ()) -> Response[Any]:
    async with desk.transaction() as tx:
        found = await api_keys(tx)
    return page(
        "accounts/keys.html",
        status=422 if problems else 200,
        shell=desk.shell("settings"),
        keys=found,
        fresh=ids.new(),
        typed=typed,
        problems=problems,
    )


def _id(given: str) -> UUID:
    try:
        return UUID(given)
    except ValueError:
        raise Invalid("This form is not whole. Load the page anew, and make the key then.") from None


HANDLERS: tuple[Any, ...] = (keys, make, key_page, revoke)
