"""What a site shows people of themselves: subscribe, confirm, sign in, their page. No GET changes anything.

These pages are kept by no cache: some depend on who asks, and the others hold an address or a token.
"""

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

import msgspec
from litestar import HttpMethod, Request, Response, get, route

from app.accounts import SiteVisit, safe_next
from app.answers import page, take_flash
from app.base.addresses import AddressError, canonical
from app.base.errors import Problem
from app.readers.confirming import ConfirmPage, confirm_page
from app.readers.own_data import own_data
from app.readers.preferences import OwnPage, own_page
from app.readers.sessions import session_of, signed_in, slide_session
from app.readers.sign_in_codes import address_of_link
from app.readers.streams import Newsletter, newsletters
from app.switches import switches_of

#: Nothing of these pages is for another. (The site's referrer policy, same-origin, hides tokens from others;
#: no-referrer would make browsers send our own forms with `Origin: null`.)
ALONE = {"Cache-Control": "private, no-store"}
LONGEST = 320


@dataclass(frozen=True)
class SubscribePage:
    """The form: what was typed, what is wrong. `source` names the form that led here."""

    newsletters: tuple[Newsletter, ...]
    chosen: tuple[str, ...]
    email: str = ""
    name: str = ""
    source: str = ""
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True)
class SignInPage:
    """The page that asks for the address, as typed; `next` is where to go afterwards, '' for their own page.

    `paused`: no code is mailed now.
    """

    email: str = ""
    next: str = ""
    error: str = ""
    paused: bool = False


@dataclass(frozen=True)
class CodePage:
    """The page that asks for the six digits, or the button of the link beside them (`token`)."""

    email: str
    code: str = ""
    token: str = ""
    error: str = ""
    next: str = ""
    dead: bool = False
    paused: bool = False


@get("/subscribe")
async def subscribe_form(visit: SiteVisit, request: Request) -> Response[str]:
    """The form. `?newsletter=`, `?email=` and `?source=` fill it in."""
    asked = request.query_params
    shown = await subscribe_page(
        visit,
        email=_plain(asked.get("email", "")),
        source=_plain(asked.get("source", ""))[:100],
        chosen=tuple(asked.getall("newsletter", [])),
    )
    return page("readers/site/subscribe.html", headers=ALONE, site=visit.frame(), page=shown)


@get("/subscribe/check-inbox")
async def check_inbox(visit: SiteVisit, email: str = "") -> Response[str]:
    """What to do now; the same for every address."""
    try:
        address = canonical(_plain(email))
    except AddressError:
        address = ""
    return page("readers/site/check_inbox.html", headers=ALONE, site=visit.frame(), address=address)


@route("/confirm/{token:str}", http_method=[HttpMethod.GET, HttpMethod.HEAD])
async def ask_confirm(visit: SiteVisit, token: str) -> Response[str]:
    """A page with a button; whoever only opens it (a link scanner) changes nothing (R7)."""
    async with visit.transaction() as tx:
        shown = await confirm_page(tx, token)
    return confirm_response(visit, shown)


@get("/sign-in")
async def sign_in(visit: SiteVisit, request: Request, email: str = "", next: str = "") -> Response[Any]:
    """Asks for an address; who is signed in goes on to `next`, or to their own page."""
    async with visit.transaction() as tx:
        if await signed_in(tx, request.cookies):
            return to(safe_next(next, "/me"))
        paused = (await switches_of(tx)).reader_codes_stopped
    return sign_in_response(visit, request, SignInPage(_plain(email), safe_next(next, ""), paused=paused))


@get("/sign-in/code")
async def enter_code(visit: SiteVisit, email: str = "", next: str = "") -> Response[Any]:
    """Asks for the six digits."""
    if not email:
        return to("/sign-in")
    async with visit.transaction() as tx:
        paused = (await switches_of(tx)).reader_codes_stopped
    return code_response(visit, CodePage(_plain(email), next=safe_next(next, ""), paused=paused))


@route("/sign-in/{token:str}", http_method=[HttpMethod.GET, HttpMethod.HEAD])
async def sign_in_link(visit: SiteVisit, token: str, next: str = "") -> Response[Any]:
    """The link beside the code: a button, which alone lets in; no session on a GET (R9)."""
    async with visit.transaction() as tx:
        address = await address_of_link(tx, token)
    shown = CodePage(address or "", token=token, dead=address is None, next=safe_next(next, ""))
    return code_response(visit, shown)


@get("/me")
async def me(visit: SiteVisit, request: Request) -> Response[Any]:
    """A reader's own page; who is not signed in is asked to."""
    async with visit.transaction() as tx:
        session = await session_of(tx, request.cookies)
        if session and session.due:
            await slide_session(tx, request.cookies)
        shown = await own_page(tx, session.reader_id) if session else None
    if shown is None:
        return to("/sign-in")
    return me_response(visit, request, shown)


@get("/me/data.json")
async def my_data(visit: SiteVisit, request: Request) -> Response[Any]:
    """Everything we keep of them, as a file."""
    async with visit.transaction() as tx:
        reader_id = await signed_in(tx, request.cookies)
        data = await own_data(tx, reader_id) if reader_id else None
    if data is None:
        return to("/sign-in")
    told = {"publication": visit.account.name, "site": visit.account.site_url} | data
    name = f'attachment; filename="{visit.account.slug}-my-data.json"'
    body = msgspec.json.format(msgspec.json.encode(told), indent=1)
    return Response(body, media_type="application/json", headers={"Content-Disposition": name} | ALONE)


async def subscribe_page(visit: SiteVisit, **typed: Any) -> SubscribePage:
    """The empty form, or one that came back; without a known choice the default newsletter is ticked."""
    async with visit.transaction() as tx:
        streams = tuple(await newsletters(tx))
    known = tuple(one.slug for one in streams if one.slug in typed.get("chosen", ()))
    usual = tuple(one.slug for one in streams if one.is_default)
    return replace(SubscribePage(streams, ()), **(typed | {"chosen": known or usual}))


def confirm_response(visit: SiteVisit, shown: ConfirmPage) -> Response[str]:
    """404 for a link that is over, or not ours."""
    status = 404 if shown.state == "gone" else 200
    return page("readers/site/confirm.html", status=status, headers=ALONE, site=visit.frame(), confirm=shown)


def sign_in_response(
    visit: SiteVisit,
    request: Request,
    shown: SignInPage,
    *,
    status: int = 200,
    retry_after: int | None = None,
) -> Response[str]:
    """The page that asks for the address."""
    return page(
        "readers/site/sign_in.html",
        status=status,
        headers=ALONE | ({"Retry-After": str(retry_after)} if retry_after is not None else {}),
        site=visit.frame(),
        page=shown,
        flash=take_flash(request),
    )


def code_response(
    visit: SiteVisit, shown: CodePage, *, status: int = 200, retry_after: int | None = None
) -> Response[Any]:
    """The page of the six digits."""
    headers = ALONE | ({"Retry-After": str(retry_after)} if retry_after is not None else {})
    return page("readers/site/code.html", status=status, headers=headers, site=visit.frame(), page=shown)


def me_response(visit: SiteVisit, request: Request, shown: OwnPage, *, status: int = 200) -> Response[str]:
    """The reader's own page."""
    return page(
        "readers/site/me.html",
        status=status,
        headers=ALONE,
        site=replace(visit.frame(), signed_in=True),
        page=shown,
        reply_to=visit.account.reply_to or "",
        flash=take_flash(request),
    )


def to(url: str) -> Response[Any]:
    """On to another page of the site."""
    return Response("", status_code=303, headers={"Location": url} | ALONE)


def code_path(email: str, next: str) -> str:
    """The page that asks for the digits mailed to an address."""
    return f"/sign-in/code?{urlencode({'email': email} | ({'next': next} if next else {}))}"


def _plain(text: str) -> str:
    """What a page can show again of an address's query."""
    return text.replace("\0", "")[:LONGEST]


HANDLERS: tuple[Any, ...] = (
    subscribe_form,
    check_inbox,
    ask_confirm,
    sign_in,
    enter_code,
    sign_in_link,
    me,
    my_data,
)
