"""Signing in and out as a reader, from the site's own pages only."""

import time
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from litestar import Request, Response, post

from app.accounts import SiteVisit, digits_of, why_wrong
from app.answers import Flash, answer, form_of, network_of
from app.base.addresses import AddressError, canonical
from app.base.database import Tx
from app.base.errors import Invalid, TooMany
from app.readers.sessions import end_session, no_reader_cookie, reader_cookie, start_session
from app.readers.sign_in_codes import WrongCode, ask_for_code, try_code, use_link
from app.readers.site_pages import CodePage, code_response, sign_in_response, to
from app.readers.strangers import refuse_elsewhere, until_floor


@post("/sign-in", status_code=200)
async def ask_code(visit: SiteVisit, request: Request) -> Response[Any]:
    """Mail a code, and go on to its page: the same whether or not the address is known (R10)."""
    refuse_elsewhere(visit, request)
    began = time.monotonic()
    form = await form_of(request)
    typed = form.typed("email")[:320]
    try:
        address = canonical(form.text("email", most=1000))
        async with visit.transaction() as tx:
            await ask_for_code(tx, visit.account, address, network_of(request))
    except TooMany as error:
        return sign_in_response(
            visit, request, email=typed, error=error.detail, status=429, retry_after=error.retry_after
        )
    except Invalid as error:
        return sign_in_response(visit, request, email=typed, error=error.detail, status=422)
    finally:
        await until_floor(began)
    return to(f"/sign-in/code?{urlencode({'email': address})}")


@post("/sign-in/code", status_code=200)
async def enter(visit: SiteVisit, request: Request) -> Response[Any]:
    """Let in whoever has the code; a new session each time, whatever cookie came along."""
    refuse_elsewhere(visit, request)
    began = time.monotonic()
    form = await form_of(request)
    shown = CodePage(form.typed("email")[:320], form.typed("code")[:100])
    try:
        address = canonical(shown.email)
        async with visit.transaction() as tx:
            found = await try_code(tx, address, digits_of(shown.code), network_of(request))
            session = await _session(tx, request, found) if isinstance(found, UUID) else None
    except TooMany as error:
        wrong = CodePage(shown.email, shown.code, error=error.detail, dead=True)
        return code_response(visit, wrong, status=429, retry_after=error.retry_after)
    except AddressError as error:
        wrong = CodePage(shown.email, shown.code, error=error.detail, dead=True)
        return code_response(visit, wrong, status=422)
    finally:
        await until_floor(began)
    if isinstance(found, WrongCode) or session is None:
        left = found.left if isinstance(found, WrongCode) else 0
        wrong = CodePage(shown.email, shown.code, error=why_wrong(left), dead=left == 0)
        return code_response(visit, wrong, status=422)
    return _let_in(session)


@post("/sign-in/{token:str}", status_code=200)
async def enter_by_link(visit: SiteVisit, request: Request, token: str) -> Response[Any]:
    """The button behind the mail's link."""
    refuse_elsewhere(visit, request)
    async with visit.transaction() as tx:
        reader_id = await use_link(tx, token)
        session = await _session(tx, request, reader_id) if reader_id else None
    if session is None:
        return code_response(visit, CodePage("", token=token, dead=True), status=422)
    return _let_in(session)


@post("/sign-out", status_code=200)
async def sign_out(visit: SiteVisit, request: Request) -> Response[Any]:
    """End this browser's session."""
    refuse_elsewhere(visit, request)
    async with visit.transaction() as tx:
        await end_session(tx, request.cookies)
    done = answer(request, to="/sign-in", flash=Flash("ok", "You are signed out."))
    done.cookies.append(no_reader_cookie())
    return done


async def _session(tx: Tx, request: Request, reader_id: UUID) -> str:
    """A new session; the one that this browser had is over."""
    await end_session(tx, request.cookies)
    return await start_session(tx, reader_id)


def _let_in(session: str) -> Response[Any]:
    done = to("/me")
    done.cookies.append(reader_cookie(session))
    return done


HANDLERS: tuple[Any, ...] = (ask_code, enter, enter_by_link, sign_out)
