"""What people do before the studio and in its settings."""

import time
from typing import Any
from urllib.parse import urlencode

from litestar import Request, Response, post

from app.accounts import sign_in
from app.accounts.code_words import digits_of, why_wrong
from app.accounts.coming_back import safe_next
from app.accounts.first_run import open_first_account
from app.accounts.guards import database_of
from app.accounts.profile import Profile, change_profile
from app.accounts.queries import Creator, creator_with
from app.accounts.sessions import cookie_name, end_session, no_session_cookie, session_cookie, start_session
from app.accounts.views import CodePage, SignInPage, first_run_page, settings_page
from app.accounts.visitors import Desk
from app.answers import Flash, answer, form_of, network_of, page, until
from app.base.addresses import AddressError, canonical
from app.base.errors import Invalid, TooMany

#: Asking for a code and trying one take at least so long (s), whether or not the address is known.
FLOOR = 0.25


@post("/first-run")
async def open_first(request: Request) -> Response[Any]:
    """Open the first account and sign its creator in. A second one is told that it is set up (409)."""
    form = await form_of(request)
    token = form.text("token")
    fields = ("email", "creator_name", "name", "slug", "postal_address")
    typed = {name: form.typed(name) for name in fields}
    try:
        kept = {name: form.text(name, most=5000) for name in fields}
        async with database_of(request).transaction() as tx:
            account = await open_first_account(tx, token, **kept)
            creator = await creator_with(tx, canonical(kept["email"]))
            assert creator is not None
            session = await start_session(tx, creator.id)
    except Invalid as error:
        shown = first_run_page(token, **typed, problems=error.problems)
        return page("accounts/first_run.html", status=422, page=shown)
    done = answer(
        request, to=f"/studio/{account.slug}", flash=Flash("ok", f"{account.name} is yours. Welcome.")
    )
    done.cookies.append(session_cookie(session))
    return done


@post("/sign-in")
async def ask(request: Request) -> Response[Any]:
    """Mail a code, and go on to its page: the same answer whether or not the address is known."""
    began = time.monotonic()
    form = await form_of(request)
    typed, next = form.text("email", most=1000), form.text("next", most=1000)
    try:
        address = canonical(typed)
    except AddressError as error:
        return page(
            "accounts/sign_in.html", status=422, page=SignInPage(typed, next, error.detail), flash=None
        )
    try:
        async with database_of(request).transaction() as tx:
            await sign_in.ask_for_code(tx, address, network_of(request))
    except TooMany as error:
        shown = SignInPage(typed, next, error.detail)
        wait = {"Retry-After": str(error.retry_after)}
        return page("accounts/sign_in.html", status=429, headers=wait, page=shown, flash=None)
    finally:
        await until(began + FLOOR)
    where = {"email": address} | ({"next": next} if next else {})
    return answer(request, to=f"/sign-in/code?{urlencode(where)}")


@post("/sign-in/code")
async def enter(request: Request) -> Response[Any]:
    """Let in whoever has the code; a new session each time, whatever cookie came along."""
    began = time.monotonic()
    form = await form_of(request)
    shown = CodePage(form.text("email", most=1000), form.text("code", most=100), form.text("next", most=1000))
    try:
        address = canonical(shown.email)
        async with database_of(request).transaction() as tx:
            found = await sign_in.try_code(tx, address, digits_of(shown.code), network_of(request))
            session = await _signed_in(tx, request, found) if isinstance(found, Creator) else None
    except AddressError as error:
        return _told(shown, error.detail, dead=True)
    except TooMany as error:
        return _told(shown, error.detail, dead=True, status=429, retry_after=error.retry_after)
    finally:
        await until(began + FLOOR)
    if session is None:
        assert isinstance(found, sign_in.WrongCode)
        return _told(shown, why_wrong(found.left), dead=found.left == 0)
    done = answer(request, to=safe_next(shown.next))
    done.cookies.append(session_cookie(session))
    return done


@post("/sign-out")
async def sign_out(request: Request) -> Response[Any]:
    """End this browser's session, and what it kept of our pages."""
    token = request.cookies.get(cookie_name(), "")
    if token:
        async with database_of(request).transaction() as tx:
            await end_session(tx, token)
    done = answer(request, to="/sign-in", flash=Flash("ok", "You are signed out."))
    done.cookies.append(no_session_cookie())
    done.headers["Clear-Site-Data"] = '"cache"'
    return done


@post("/settings")
async def change_settings(request: Request, desk: Desk) -> Response[Any]:
    """Save the publication's profile; what cannot be kept comes back as typed."""
    form = await form_of(request)
    try:
        profile = Profile(**{name: form.text(name, most=20_000) for name in Profile.__dataclass_fields__})
        async with desk.transaction() as tx:
            await change_profile(tx, profile)
    except Invalid as error:
        typed = Profile(**{name: form.typed(name) for name in Profile.__dataclass_fields__})
        return await settings_page(desk, typed, error.problems)
    return answer(request, to=desk.url("settings"), flash=Flash("ok", "Saved."))


async def _signed_in(tx: Any, request: Request, creator: Creator) -> str:
    """A new session; the one that this browser had is over."""
    await end_session(tx, request.cookies.get(cookie_name(), ""))
    return await start_session(tx, creator.id)


def _told(
    shown: CodePage, words: str, *, dead: bool, status: int = 422, retry_after: int | None = None
) -> Response[Any]:
    again = CodePage(shown.email, shown.code, shown.next, words, dead)
    headers = {"Retry-After": str(retry_after)} if retry_after is not None else None
    return page("accounts/code.html", status=status, headers=headers, page=again)


HANDLERS: tuple[Any, ...] = (open_first, ask, enter, sign_out)
STUDIO_HANDLERS: tuple[Any, ...] = (change_settings,)
