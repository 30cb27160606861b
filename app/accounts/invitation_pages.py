"""What somebody who was invited sees: the invitation, a code to their address, the button that accepts.

Opening the link changes nothing. Who is not signed in gets a code at the invited address and comes back here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from litestar import Request, Response, get, post

from app.accounts import sign_in
from app.accounts.guards import database_of, signed_in
from app.accounts.invitations import Invitation, accept, expect, joined, opened
from app.accounts.queries import Account, Creator, creator_with
from app.answers import Flash, answer, form_of, network_of, page
from app.base.database import Tx
from app.base.errors import Invalid, NotFound, Problem, TooMany, Unauthorized


@dataclass(frozen=True)
class InvitationPage:
    """What templates/accounts/invitation.html needs.

    `creator`: who is signed in; `known`: the invited address signed in before, so it has a name.
    """

    url: str
    account: Account
    invited: Invitation
    creator: Creator | None
    known: bool
    name: str = ""
    problems: tuple[Problem, ...] = ()


@get("/invitations/{token:str}")
async def invitation(request: Request, token: str) -> Response[Any]:
    """Who invites, into what, as what; and the next step."""
    async with database_of(request).transaction() as tx:
        shown = await _shown(tx, request, token)
    return page("accounts/invitation.html", page=shown)


@post("/invitations/{token:str}/code")
async def ask(request: Request, token: str) -> Response[Any]:
    """Mail a code to the invited address, which may sign in from now on."""
    form = await form_of(request)
    try:
        async with database_of(request).transaction() as tx:
            _, invited = await opened(tx, token)
            await expect(tx, invited, form.text("name", most=1000))
            await sign_in.ask_for_code(tx, invited.email, network_of(request))
    except Invalid as error:
        return await _again(request, token, 422, form.typed("name"), error.problems)
    except TooMany as error:
        return await _again(request, token, 429, form.typed("name"), (Problem("", error.detail),))
    where = {"email": invited.email, "next": f"/invitations/{token}"}
    return answer(request, to=f"/sign-in/code?{urlencode(where)}")


@post("/invitations/{token:str}/accept")
async def join(request: Request, token: str) -> Response[Any]:
    """Into the team; pressed again by who is on it, the way there.

    Raises Unauthorized, Forbidden for another address, NotFound when it is not open.
    """
    async with database_of(request).transaction() as tx:
        creator = await signed_in(request, tx)
        if creator is None:
            raise Unauthorized("Sign in with the invited address first: open the link in the mail again.")
        try:
            account, invited = await opened(tx, token)
            await accept(tx, account, invited, creator)
            words = f"You are on the team of {account.name} now, as {invited.role}."
        except NotFound:
            account = await joined(tx, creator)
            if account is None:
                raise
            words = f"You are on the team of {account.name}."
    return answer(request, to=f"/studio/{account.slug}", flash=Flash("ok", words))


async def _again(
    request: Request, token: str, status: int, name: str, problems: Sequence[Problem]
) -> Response[Any]:
    async with database_of(request).transaction() as tx:
        shown = await _shown(tx, request, token, name, problems)
    return page("accounts/invitation.html", status=status, page=shown)


async def _shown(
    tx: Tx, request: Request, token: str, name: str = "", problems: Sequence[Problem] = ()
) -> InvitationPage:
    creator = await signed_in(request, tx)
    account, invited = await opened(tx, token)
    known = await creator_with(tx, invited.email) is not None
    url = f"/invitations/{token}"
    return InvitationPage(url, account, invited, creator, known, name, tuple(problems))


HANDLERS: tuple[Any, ...] = (invitation, ask, join)
