"""Pages before the studio (start, first run, sign in) and its settings. No GET here changes anything."""

from typing import Any

from litestar import Request, Response, get

from app.accounts import invitation_pages, key_pages, team_pages
from app.accounts.coming_back import safe_next
from app.accounts.first_run import check_first_run
from app.accounts.guards import database_of, signed_in
from app.accounts.queries import accounts_of, has_creators
from app.accounts.views import CodePage, SignInPage, first_run_page, settings_page
from app.accounts.visitors import Desk
from app.answers import page, take_flash
from app.switches import switches_of


@get("/", name="start")
async def start(request: Request) -> Response[Any]:
    """To the creator's only studio, a choice of them, the sign-in page, or how to begin."""
    async with database_of(request).transaction() as tx:
        creator = await signed_in(request, tx)
        if creator is None:
            if await has_creators(tx):
                return _to("/sign-in")
            return page("accounts/welcome.html")
        accounts = await accounts_of(tx, creator.id)
    if len(accounts) == 1:
        return _to(f"/studio/{accounts[0].slug}")
    return page("accounts/choose.html", accounts=accounts, creator=creator)


@get("/first-run")
async def first_run(request: Request, token: str = "") -> Response[Any]:
    """The form that opens the first account."""
    async with database_of(request).transaction() as tx:
        await check_first_run(tx, token)
    return page("accounts/first_run.html", page=first_run_page(token))


@get("/sign-in")
async def sign_in(request: Request, next: str = "") -> Response[Any]:
    """Asks for an address."""
    async with database_of(request).transaction() as tx:
        if await signed_in(request, tx) is not None:
            return _to(safe_next(next))
        paused = (await switches_of(tx)).codes_stopped
    shown = SignInPage(next=next, paused=paused)
    return page("accounts/sign_in.html", page=shown, flash=take_flash(request))


@get("/sign-in/code")
async def code(request: Request, email: str = "", code: str = "", next: str = "") -> Response[Any]:
    """Asks for the code; a link from the mail brings it along, and still only a button uses it."""
    if not email:
        return _to("/sign-in")
    async with database_of(request).transaction() as tx:
        paused = (await switches_of(tx)).codes_stopped
    shown = CodePage(email=email[:320], code=code[:12], next=next, paused=paused)
    return page("accounts/code.html", page=shown)


@get("/settings")
async def account_settings(desk: Desk) -> Response[Any]:
    """The publication's name, sender and postal address; who belongs to it; its API keys."""
    return await settings_page(desk, desk.account)


def _to(url: str) -> Response[Any]:
    return Response("", status_code=303, headers={"Location": url, "Cache-Control": "no-store"})


HANDLERS: tuple[Any, ...] = (start, first_run, sign_in, code, *invitation_pages.HANDLERS)
STUDIO_HANDLERS: tuple[Any, ...] = (
    account_settings,
    *key_pages.HANDLERS,
    *team_pages.HANDLERS,
)
