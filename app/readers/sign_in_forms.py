"""Signing in and out as a reader, from the site's own pages only."""

import time
from dataclasses import replace
from typing import Any
from uuid import UUID

from litestar import Request, Response, post

from app.accounts import SiteVisit, digits_of, safe_next, why_wrong
from app.answers import Flash, Form, answer, form_of, network_of, own_cookie
from app.base import tokens
from app.base.addresses import AddressError, canonical
from app.base.database import Tx
from app.base.errors import Invalid, TooMany
from app.readers.sessions import end_session, no_reader_cookie, reader_cookie, start_session
from app.readers.sign_in_codes import Asker, WrongCode, ask_for_code, try_code, use_link
from app.readers.site_pages import CodePage, SignInPage, code_path, code_response, sign_in_response, to
from app.readers.strangers import refuse_elsewhere, until_floor

#: The cookie of a browser that asked for a code, from its asking on, for a day.
ASKER = "godwit_asker"
_ASKER_SECONDS = 86400
_SECRET_LENGTH = len(tokens.new_secret())


@post("/sign-in", status_code=200)
async def ask_code(visit: SiteVisit, request: Request) -> Response[Any]:
    """Mail a code, and go on to its page: the same whether or not the address is known (R10)."""
    refuse_elsewhere(visit, request)
    began = time.monotonic()
    form = await form_of(request)
    shown = SignInPage(form.typed("email")[:320], next=_next(form))
    asker, known = _asker(request)
    try:
        address = canonical(form.text("email", most=1000))
        async with visit.transaction() as tx:
            await ask_for_code(tx, visit.account, address, asker, shown.next)
    except TooMany as error:
        wrong = replace(shown, error=error.detail)
        return sign_in_response(visit, request, wrong, status=429, retry_after=error.retry_after)
    except Invalid as error:
        return sign_in_response(visit, request, replace(shown, error=error.detail), status=422)
    finally:
        await until_floor(began)
    asked = to(code_path(address, shown.next))
    if not known:
        asked.cookies.append(own_cookie(ASKER, asker.browser, _ASKER_SECONDS))
    return asked


@post("/sign-in/code", status_code=200)
async def enter(visit: SiteVisit, request: Request) -> Response[Any]:
    """Let in whoever has the code; a new session each time, whatever cookie came along."""
    refuse_elsewhere(visit, request)
    began = time.monotonic()
    form = await form_of(request)
    shown = CodePage(form.typed("email")[:320], form.typed("code")[:100], next=_next(form))
    try:
        address = canonical(shown.email)
        async with visit.transaction() as tx:
            found = await try_code(tx, address, digits_of(shown.code), _asker(request)[0])
            session = await _session(tx, request, found) if isinstance(found, UUID) else None
    except TooMany as error:
        wrong = replace(shown, error=error.detail, dead=True)
        return code_response(visit, wrong, status=429, retry_after=error.retry_after)
    except AddressError as error:
        wrong = replace(shown, error=error.detail, dead=True)
        return code_response(visit, wrong, status=422)
    finally:
        await until_floor(began)
    if isinstance(found, WrongCode) or session is None:
        left = found.left if isinstance(found, WrongCode) else 0
        wrong = replace(shown, error=why_wrong(left), dead=left == 0)
        return code_response(visit, wrong, status=422)
    return _let_in(session, shown.next)


@post("/sign-in/{token:str}", status_code=200)
async def enter_by_link(visit: SiteVisit, request: Request, token: str) -> Response[Any]:
    """The button behind the mail's link."""
    refuse_elsewhere(visit, request)
    next = _next(await form_of(request))
    async with visit.transaction() as tx:
        reader_id = await use_link(tx, token)
        session = await _session(tx, request, reader_id) if reader_id else None
    if session is None:
        return code_response(visit, CodePage("", token=token, dead=True, next=next), status=422)
    return _let_in(session, next)


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


def _asker(request: Request) -> tuple[Asker, bool]:
    """Who asks, and whether their browser was known by its cookie; a strange one is taken for none."""
    brought = request.cookies.get(ASKER, "")
    known = len(brought) == _SECRET_LENGTH and brought.isascii()
    return Asker(network_of(request), brought if known else tokens.new_secret()), known


def _next(form: Form) -> str:
    """Where they were going, if that is a path of this site; '' for their own page."""
    return safe_next(form.typed("next"), "")


def _let_in(session: str, next: str) -> Response[Any]:
    done = to(next or "/me")
    done.cookies.append(reader_cookie(session))
    return done


HANDLERS: tuple[Any, ...] = (ask_code, enter, enter_by_link, sign_out)
