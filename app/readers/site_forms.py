"""What people do on a site about themselves: subscribe, confirm, sign in, change what they get, leave.

Subscribing, confirming and leaving need no session and may be sent from anywhere: forms of other sites
subscribe. All else is taken from the site's own pages only.
"""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlencode, urlsplit
from uuid import UUID

from litestar import Request, Response, post

from app.accounts import SiteVisit, digits_of, why_wrong
from app.answers import Flash, Form, answer, form_of, network_of, page, until
from app.base.addresses import AddressError, canonical
from app.base.database import Tx
from app.base.errors import Conflict, Forbidden, Invalid, Problem, TooMany, Unauthorized
from app.base.fields import one_line
from app.readers.confirming import confirm
from app.readers.erasure import erase_reader
from app.readers.given import Checked
from app.readers.preferences import choose, lift_own_block, own_page, rename
from app.readers.queries import reader
from app.readers.sessions import (
    end_session,
    no_reader_cookie,
    reader_cookie,
    signed_in,
    slide_session,
    start_session,
)
from app.readers.sign_in_codes import WrongCode, ask_for_code, try_code, use_link
from app.readers.sign_up import LONGEST_FORM, Asked, Busy, ask_by_form
from app.readers.site_pages import (
    ALONE,
    CodePage,
    code_response,
    confirm_response,
    me_response,
    sign_in_response,
    subscribe_page,
    to,
)
from app.readers.streams import newsletters

#: What must not tell by its time whether an address is known takes at least so long (s).
FLOOR = 0.25
BUSY = (
    "So many people subscribe just now that this form takes a rest. Nothing is lost: come again in an hour."
)


@post("/subscribe", status_code=200)
async def subscribe(visit: SiteVisit, request: Request) -> Response[Any]:
    """Mail a confirmation, and say the same whether or not the address is known (R8)."""
    began = time.monotonic()
    form = await form_of(request)
    try:
        asked = await _asked(visit, request, form)
        async with visit.transaction() as tx:
            busy = await ask_by_form(tx, visit.account, asked, network_of(request))
    except TooMany as error:
        return await _subscribe_again(visit, request, form, (Problem("", error.detail),), error.retry_after)
    except Invalid as error:
        return await _subscribe_again(visit, request, form, error.problems)
    finally:
        await until(began + FLOOR)
    if isinstance(busy, Busy):
        return await _subscribe_again(visit, request, form, (Problem("", BUSY),), busy.seconds)
    return to(f"/subscribe/check-inbox?{urlencode({'email': asked.email})}")


@post("/confirm/{token:str}", status_code=200)
async def confirm_now(visit: SiteVisit, token: str) -> Response[str]:
    """The button (R7). It signs nobody in: who presses for somebody else gets nothing by it."""
    async with visit.transaction() as tx:
        shown = await confirm(tx, token)
    return confirm_response(visit, shown)


@post("/sign-in", status_code=200)
async def ask_code(visit: SiteVisit, request: Request) -> Response[Any]:
    """Mail a code, and go on to its page: the same whether or not the address is known (R10)."""
    _ours(visit, request)
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
        await until(began + FLOOR)
    return to(f"/sign-in/code?{urlencode({'email': address})}")


@post("/sign-in/code", status_code=200)
async def enter(visit: SiteVisit, request: Request) -> Response[Any]:
    """Let in whoever has the code; a new session each time, whatever cookie came along."""
    _ours(visit, request)
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
        await until(began + FLOOR)
    if isinstance(found, WrongCode) or session is None:
        left = found.left if isinstance(found, WrongCode) else 0
        wrong = CodePage(shown.email, shown.code, error=why_wrong(left), dead=left == 0)
        return code_response(visit, wrong, status=422)
    return _let_in(session)


@post("/sign-in/{token:str}", status_code=200)
async def enter_by_link(visit: SiteVisit, request: Request, token: str) -> Response[Any]:
    """The button behind the mail's link."""
    _ours(visit, request)
    async with visit.transaction() as tx:
        reader_id = await use_link(tx, token)
        session = await _session(tx, request, reader_id) if reader_id else None
    if session is None:
        return code_response(visit, CodePage("", token=token, dead=True), status=422)
    return _let_in(session)


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
        matches = found is not None and _same(form.typed("address"), found.email)
        if matches:
            await erase_reader(tx, reader_id)
    if not matches:
        wrong = Problem("address", "That is not your address. Nothing was erased.")
        return await _me_again(visit, request, (wrong,))
    done = page("readers/site/erased.html", headers=ALONE, site=visit.frame())
    done.cookies.append(no_reader_cookie())
    return done


@post("/sign-out", status_code=200)
async def sign_out(visit: SiteVisit, request: Request) -> Response[Any]:
    """End this browser's session."""
    _ours(visit, request)
    async with visit.transaction() as tx:
        await end_session(tx, request.cookies)
    done = answer(request, to="/sign-in", flash=Flash("ok", "You are signed out."))
    done.cookies.append(no_reader_cookie())
    return done


async def _asked(visit: SiteVisit, request: Request, form: Form) -> Asked:
    """What the form says. Raises Invalid with everything that is wrong."""
    checked = Checked()
    email = checked.email(form.text("email", most=1000))
    name = checked.name(form.text("name", most=1000))
    source = _source(request, form)
    async with visit.transaction() as tx:
        streams = await newsletters(tx)
    given = [slug for slug in form.many("newsletter") if slug]
    chosen = tuple(one for one in streams if (one.slug in given if given else one.is_default))
    if unknown := set(given) - {one.slug for one in streams}:
        checked.wrong("newsletter", f"There is no newsletter “{min(unknown)[:60]}” here. Choose one that is.")
    checked.refuse()
    where = f"the form “{source}”" if source else "the subscribe page"
    return Asked(email, chosen, f"asked on {where}, confirmed by a mailed link", source, name)


def _source(request: Request, form: Form) -> str:
    """`?source=` of the form's address, or a field of that name; cut, never refused."""
    given = form.typed("source") or request.query_params.get("source", "")
    return one_line(given.replace("\0", ""))[:LONGEST_FORM].strip()


async def _subscribe_again(
    visit: SiteVisit,
    request: Request,
    form: Form,
    problems: tuple[Problem, ...],
    retry_after: int | None = None,
) -> Response[str]:
    """The form with what was typed; 429 when it is only a matter of time."""
    shown = await subscribe_page(
        visit,
        email=form.typed("email")[:1000],
        name=form.typed("name")[:1000],
        source=_source(request, form),
        chosen=tuple(form.many("newsletter", most=100_000)),
        problems=problems,
    )
    headers = ALONE | ({"Retry-After": str(retry_after)} if retry_after is not None else {})
    status = 422 if retry_after is None else 429
    return page("readers/site/subscribe.html", status=status, headers=headers, site=visit.frame(), page=shown)


@asynccontextmanager
async def _own(visit: SiteVisit, request: Request) -> AsyncIterator[tuple[Tx, UUID]]:
    """A transaction of a signed-in reader's own. Raises Forbidden, Unauthorized."""
    _ours(visit, request)
    async with visit.transaction() as tx:
        reader_id = await signed_in(tx, request.cookies)
        if reader_id is None:
            raise Unauthorized("You are not signed in any more. Sign in, and do it again.")
        await slide_session(tx, request.cookies)
        yield tx, reader_id


async def _me_again(
    visit: SiteVisit, request: Request, problems: tuple[Problem, ...], typed_name: str | None = None
) -> Response[Any]:
    async with visit.transaction() as tx:
        reader_id = await signed_in(tx, request.cookies)
        shown = await own_page(tx, reader_id, problems, typed_name) if reader_id else None
    return me_response(visit, request, shown, status=422) if shown else to("/sign-in")


async def _session(tx: Tx, request: Request, reader_id: UUID) -> str:
    """A new session; the one that this browser had is over."""
    await end_session(tx, request.cookies)
    return await start_session(tx, reader_id)


def _let_in(session: str) -> Response[Any]:
    done = to("/me")
    done.cookies.append(reader_cookie(session))
    return done


def _ours(visit: SiteVisit, request: Request) -> None:
    """Raises Forbidden when the form stands on another site.

    The host that the browser asked for decides, or the site's configured address, never the scheme: a
    proxy that ends TLS may tell us neither (field case L).
    """
    origin = request.headers.get("origin")
    if origin is None:
        if request.headers.get("sec-fetch-site") in (None, "same-origin"):
            return  # an old browser, or a program: the cookie is SameSite=Lax beside this
        raise Forbidden(f"This form was sent from another site. Open {visit.account.site_url} instead.")
    ours = {request.headers.get("host", "").lower(), urlsplit(visit.account.site_url).netloc.lower()}
    if urlsplit(origin).netloc.lower() not in ours:
        raise Forbidden(
            f"This form was sent from another address ({origin[:200]}). Open {visit.account.site_url}/me"
            " and send it from there."
        )


def _same(typed: str, email: str) -> bool:
    try:
        return canonical(typed) == email
    except AddressError:
        return False


HANDLERS: tuple[Any, ...] = (
    subscribe,
    confirm_now,
    ask_code,
    enter,
    enter_by_link,
    change_name,
    change_newsletters,
    mail_me_again,
    erase_me,
    sign_out,
)
