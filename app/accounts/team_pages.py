"""The studio's pages of the team: who is on it, who is invited, one member."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from litestar import Request, Response, get, post

from app.accounts.invitations import invitations, invite, mail_again, withdraw
from app.accounts.queries import team
from app.accounts.team import change_role, member, remove_member, role_of
from app.accounts.visitors import Desk
from app.answers import Flash, answer, form_of, page
from app.base.addresses import display
from app.base.errors import Conflict, Invalid, Problem

#: What each role is, as a form offers it: its name, and what it may.
OFFERED = (
    ("owner", "Owner", "may do everything: settings, API keys, and the team too"),
    ("editor", "Editor", "writes, publishes, mails, and looks after readers"),
    ("writer", "Writer", "writes; others publish"),
)


@get("/team")
async def team_page(desk: Desk) -> Response[Any]:
    """Who is on the team, who is invited, and the form for another."""
    return await _shown(desk)


@post("/team/invitations")
async def invite_one(desk: Desk, request: Request) -> Response[Any]:
    """Mail an invitation; back to the form with what is wrong."""
    form = await form_of(request)
    try:
        role = role_of(form.text("role"))
        async with desk.transaction() as tx:
            found = await invite(
                tx, desk.account, email=form.text("email", most=1000), role=role, by=desk.creator
            )
    except Invalid as error:
        return await _shown(desk, form.typed("email"), form.typed("role"), error.problems)
    words = f"{display(found.email)} is invited as {found.role}. The mail is on its way."
    if found.was:
        words = (
            f"{display(found.email)} was invited as {found.was}, and is now as {found.role}: so says"
            " the link of the earlier mail too. Another mail is on its way."
        )
    return answer(request, to=desk.url("team"), flash=Flash("ok", words))


@post("/team/invitations/{invitation_id:uuid}/again")
async def invite_again(desk: Desk, request: Request, invitation_id: UUID) -> Response[Any]:
    """Mail it once more; its days begin anew."""
    async with desk.transaction() as tx:
        found = await mail_again(tx, desk.account, invitation_id, by=desk.creator)
    words = f"The invitation of {display(found.email)} is on its way again."
    return answer(request, to=desk.url("team"), flash=Flash("ok", words))


@post("/team/invitations/{invitation_id:uuid}/withdraw")
async def withdraw_one(desk: Desk, request: Request, invitation_id: UUID) -> Response[Any]:
    """Nobody can accept it from now on."""
    async with desk.transaction() as tx:
        email = await withdraw(tx, invitation_id)
    words = f"The invitation of {display(email)} is withdrawn: its link opens nothing any more."
    return answer(request, to=desk.url("team"), flash=Flash("ok", words))


@get("/team/{member_id:uuid}")
async def member_page(desk: Desk, member_id: UUID) -> Response[Any]:
    """What a member may do, to be changed; and the way out."""
    return await _one(desk, member_id)


@post("/team/{member_id:uuid}/role")
async def give_role(desk: Desk, request: Request, member_id: UUID) -> Response[Any]:
    """Another role, unless it is another by now than the page showed."""
    form = await form_of(request)
    try:
        role = role_of(form.text("role"))
        async with desk.transaction() as tx:
            await change_role(tx, member_id, was=form.text("was"), role=role)
            found = await member(tx, member_id)
    except (Invalid, Conflict) as error:
        return await _one(desk, member_id, error.problems or (Problem("role", error.detail),))
    words = f"{found.name} is {found.role} now."
    return answer(request, to=_back(desk, found.id, found.role), flash=Flash("ok", words))


@post("/team/{member_id:uuid}/remove")
async def remove(desk: Desk, request: Request, member_id: UUID) -> Response[Any]:
    """Out of the team; what they wrote stays."""
    try:
        async with desk.transaction() as tx:
            found = await member(tx, member_id)
            await remove_member(tx, member_id)
    except Conflict as error:
        return await _one(desk, member_id, (Problem("", error.detail),))
    if found.id == desk.creator.id:
        return answer(request, to="/", flash=Flash("ok", f"You left the team of {desk.account.name}."))
    words = f"{found.name} is no longer on the team. What they wrote stays."
    return answer(request, to=desk.url("team"), flash=Flash("ok", words))


def _back(desk: Desk, member_id: UUID, role: str) -> str:
    """Who is an owner no more does not see the team's page."""
    return desk.url("settings") if member_id == desk.creator.id and role != "owner" else desk.url("team")


async def _shown(
    desk: Desk, email: str = "", role: str = "writer", problems: Sequence[Problem] = ()
) -> Response[Any]:
    async with desk.transaction() as tx:
        members, invited = await team(tx), await invitations(tx)
    return page(
        "accounts/team.html",
        status=422 if problems else 200,
        shell=desk.shell("settings"),
        members=members,
        invited=invited,
        me=desk.creator.id,
        email=email,
        role=role,
        roles=OFFERED,
        problems=problems,
    )


async def _one(desk: Desk, member_id: UUID, problems: Sequence[Problem] = ()) -> Response[Any]:
    async with desk.transaction() as tx:
        found = await member(tx, member_id)
        owners = sum(one.role == "owner" for one in await team(tx))
    return page(
        "accounts/member.html",
        status=409 if problems else 200,
        shell=desk.shell("settings"),
        member=found,
        me=desk.creator.id,
        last=found.role == "owner" and owners == 1,
        roles=OFFERED,
        problems=problems,
    )


HANDLERS: tuple[Any, ...] = (
    team_page,
    invite_one,
    invite_again,
    withdraw_one,
    member_page,
    give_role,
    remove,
)
