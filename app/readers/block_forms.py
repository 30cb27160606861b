"""Blocking an address by hand, and lifting a block where it is the owner's to lift."""

from typing import Any
from urllib.parse import quote

from litestar import Request, Response, post

from app.accounts import Desk
from app.answers import Flash, answer, form_of
from app.base.addresses import AddressError, canonical, display
from app.base.errors import Conflict, Invalid, Problem
from app.base.fields import one_line
from app.readers.announcing import tell_blocked
from app.readers.block_pages import address_response, blocked_response
from app.readers.erasure import is_away
from app.suppressions import suppress, suppress_erased, unblock

LONGEST_REASON = 500


@post("/readers/blocked")
async def block(desk: Desk, request: Request) -> Response[Any]:
    """Mail this address nothing any more; back to the form with what is wrong."""
    form = await form_of(request)
    try:
        address = _address(form.text("address", most=1000))
        because = one_line(form.text("because", most=LONGEST_REASON))
        async with desk.transaction() as tx:
            block_it = suppress_erased if await is_away(tx, address) else suppress
            fresh = await block_it(tx, address, "by_hand", because, by=desk.creator.name)
            if fresh:
                await tell_blocked(tx, address, "by_hand")
    except Invalid as error:
        typed = (form.typed("address"), form.typed("because"))
        return await blocked_response(desk, "", "", *typed, error.problems)
    words = (
        "is blocked. It is mailed nothing, from this moment on."
        if fresh
        else "was blocked before. Nothing was changed."
    )
    flash = Flash("ok" if fresh else "info", f"{display(address)} {words}")
    return answer(request, to=_one(desk, address), flash=flash)


@post("/readers/blocked/lift")
async def lift(desk: Desk, request: Request) -> Response[Any]:
    """Lift the block of an address: by an owner, who says why; a complaint is lifted by the reader alone."""
    form = await form_of(request)
    address = _address(form.text("address", most=1000))
    try:
        async with desk.transaction() as tx:
            because = form.text("because", most=10_000)
            lifted = await unblock(tx, address, by="owner", name=desk.creator.name, because=because)
    except (Invalid, Conflict) as error:
        problems = error.problems or (Problem("because", error.detail),)
        return await address_response(desk, address, form.typed("because"), problems)
    words = (
        "The block is lifted: it is mailed again where it is subscribed." if lifted else "It was not blocked."
    )
    return answer(request, to=_one(desk, address), flash=Flash("ok" if lifted else "info", words))


def _address(given: str) -> str:
    try:
        return canonical(given)
    except AddressError as error:
        raise Invalid([Problem("address", error.detail)]) from error


def _one(desk: Desk, address: str) -> str:
    return desk.url(f"readers/blocked/one?address={quote(address)}")


HANDLERS: tuple[Any, ...] = (block, lift)
