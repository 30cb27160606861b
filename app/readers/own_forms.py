"""What signed-in readers change about themselves, from the site's own pages only (R11)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any
from uuid import UUID

from litestar import Request, Response, post

from app.accounts import SiteVisit
from app.answers import Flash, answer, form_of, page
from app.base.addresses import same_address
from app.base.database import Tx
from app.base.errors import Conflict, Invalid, Problem, Unauthorized
from app.readers.erasure import erase_reader
from app.readers.preferences import choose, lift_own_block, own_page, rename
from app.readers.queries import reader
from app.readers.sessions import no_reader_cookie, signed_in, slide_session
from app.readers.site_pages import ALONE, me_response, to
from app.readers.strangers import refuse_elsewhere


@post("/me", status_code=200)
async def change_name(visit: SiteVisit, request: Request) -> Response[Any]:
    """Their name."""
    form = await form_of(request)
    try:
        async with _own(visit, request) as (tx, reader_id):
            await rename(tx, reader_id, form.text("name", most=10_000))
    except Invalid as error:
        return await _me_again(visit, request, error.problems, form.typed("name"))
    return answer(request, to="/me", flash=Flash("ok", "Saved."))


@post("/me/newsletters", status_code=200)
async def change_newsletters(visit: SiteVisit, request: Request) -> Response[Any]:
    """What they get: each newsletter that is ticked, and no other."""
    form = await form_of(request)
    async with _own(visit, request) as (tx, reader_id):
        await choose(tx, reader_id, form.many("newsletters"))
    return answer(request, to="/me", flash=Flash("ok", "Saved. It holds at once."))


@post("/me/unblock", status_code=200)
async def mail_me_again(visit: SiteVisit, request: Request) -> Response[Any]:
    """End what stops mail to them."""
    try:
        async with _own(visit, request) as (tx, reader_id):
            await lift_own_block(tx, reader_id)
    except Conflict as error:
        return await _me_again(visit, request, (Problem("", error.detail),))
    return answer(request, to="/me", flash=Flash("ok", "You get mail again, of what is ticked below."))


@post("/me/erase", status_code=200)
async def erase_me(visit: SiteVisit, request: Request) -> Response[Any]:
    """Erase them for good, when they typed their address."""
    form = await form_of(request)
    async with _own(visit, request) as (tx, reader_id):
        found = await reader(tx, reader_id)
        matches = found is not None and same_address(form.typed("address"), found.email)
        if matches:
            await erase_reader(tx, reader_id)
    if not matches:
        wrong = Problem("address", "That is not your address. Nothing was erased.")
        return await _me_again(visit, request, (wrong,), typed_address=form.typed("address")[:1000])
    done = page("readers/site/erased.html", headers=ALONE, site=visit.frame())
    done.cookies.append(no_reader_cookie())
    return done


@asynccontextmanager
async def _own(visit: SiteVisit, request: Request) -> AsyncIterator[tuple[Tx, UUID]]:
    """A transaction of a signed-in reader's own. Raises Forbidden, Unauthorized."""
    refuse_elsewhere(visit, request)
    async with visit.transaction() as tx:
        reader_id = await signed_in(tx, request.cookies)
        if reader_id is None:
            raise Unauthorized("You are not signed in any more. Sign in, and do it again.")
        await slide_session(tx, request.cookies)
        yield tx, reader_id


async def _me_again(
    visit: SiteVisit,
    request: Request,
    problems: tuple[Problem, ...],
    typed_name: str | None = None,
    typed_address: str = "",
) -> Response[Any]:
    async with visit.transaction() as tx:
        reader_id = await signed_in(tx, request.cookies)
        shown = await own_page(tx, reader_id, problems, typed_name) if reader_id else None
    if shown is None:
        return to("/sign-in")
    return me_response(visit, request, replace(shown, typed_address=typed_address), status=422)


HANDLERS: tuple[Any, ...] = (change_name, change_newsletters, mail_me_again, erase_me)
