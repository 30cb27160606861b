"""Pages before the studio (start, first run, sign in) and its settings. No GET here changes anything."""

from dataclasses import dataclass, field
from typing import Any

from litestar import Request, Response, get

from app.accounts.first_run import check_first_run
from app.accounts.guards import Desk, database_of, signed_in
from app.accounts.queries import accounts_of, api_keys, has_creators, team
from app.answers import page, take_flash
from app.base.errors import Problem
from app.base.settings import settings


@dataclass(frozen=True)
class SignInPage:
    """What templates/accounts/sign_in.html needs; `next` is where to go afterwards."""

    email: str = ""
    next: str = ""
    error: str = ""


@dataclass(frozen=True)
class CodePage:
    """What templates/accounts/code.html needs; `dead` when only a new code helps."""

    email: str
    code: str = ""
    next: str = ""
    error: str = ""
    dead: bool = False


@dataclass(frozen=True)
class FirstRunPage:
    """What templates/accounts/first_run.html needs: what was typed, and what is wrong with it."""

    token: str
    base_url: str
    site_ending: str
    email: str = ""
    creator_name: str = ""
    name: str = ""
    slug: str = ""
    postal_address: str = ""
    problems: tuple[Problem, ...] = field(default=())

    def error(self, name: str) -> str:
        """What is wrong with one field, '' when nothing is."""
        return next((problem.message for problem in self.problems if problem.field == name), "")


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
    return page("accounts/sign_in.html", page=SignInPage(next=next), flash=take_flash(request))


@get("/sign-in/code")
async def code(email: str = "", code: str = "", next: str = "") -> Response[Any]:
    """Asks for the code; a link from the mail brings it along, and still only a button uses it."""
    if not email:
        return _to("/sign-in")
    return page("accounts/code.html", page=CodePage(email=email[:320], code=code[:12], next=next))


@get("/settings")
async def account_settings(desk: Desk) -> Response[Any]:
    """The publication's name, sender and postal address; who belongs to it; its API keys."""
    async with desk.transaction() as tx:
        keys, members = await api_keys(tx), await team(tx)
    return page(
        "accounts/settings.html",
        shell=desk.shell("settings"),
        account=desk.account,
        keys=keys,
        members=members,
        problems=(),
        may_change=desk.role == "owner",
    )


def first_run_page(token: str, **typed: Any) -> FirstRunPage:
    """The first run's form, empty or as it was typed."""
    told = settings()
    ending = told.site_url("x").split("://x", 1)[1]
    return FirstRunPage(token=token, base_url=told.base_url, site_ending=ending, **typed)


def safe_next(next: str) -> str:
    """Where to go after signing in: a path of this studio, else the start."""
    ours = next.startswith("/") and not next.startswith(("//", "/\\")) and next.isprintable()
    return next if ours and len(next) <= 1000 else "/"


def _to(url: str) -> Response[Any]:
    return Response("", status_code=303, headers={"Location": url, "Cache-Control": "no-store"})


HANDLERS: tuple[Any, ...] = (start, first_run, sign_in, code)
STUDIO_HANDLERS: tuple[Any, ...] = (account_settings,)
