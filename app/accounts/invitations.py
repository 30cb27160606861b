"""Invitations into a team: mailed by an owner, taken by whoever signs in with the address it went to.

The link names its rows and is signed, so it is kept nowhere; it lets nobody in by itself: a code goes to the
invited address, and only who is signed in with it can accept. One invitation an address and publication; to
invite again mails it again and sets its days anew.
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from app.accounts.queries import Account, Creator, account_of, creator_with, team
from app.accounts.rights import Role
from app.accounts.sign_up import check_name
from app.accounts.team import role_of
from app.base import ids, tokens
from app.base.addresses import AddressError, canonical
from app.base.database import Tx
from app.base.errors import Forbidden, Invalid, NotFound, Problem
from app.base.settings import settings
from app.limits import refuse_over
from app.messages import TeamInvitation, queue_message

#: How long an invitation is good; how many a publication may mail a day, since they go to strangers.
DAYS, A_DAY = 7, 30
_PURPOSE = "team-invitation"
_COLUMNS = (
    "id, email, role, invited_by_name, mailed, created_at, expires_at, expires_at <= godwit_now() as over"
)

_INVITE = f"""
insert into invitation as i (account_id, id, email, role, invited_by_name, expires_at)
values (:account, :id, :email, :role, :by, godwit_now() + make_interval(days => :days))
on conflict (account_id, email) do update set role = excluded.role, mailed = i.mailed + 1,
    invited_by_name = excluded.invited_by_name, expires_at = excluded.expires_at
returning {_COLUMNS}
"""
_BEFORE = "select role from invitation where account_id = :account and email = :email for update"
_ALL = f"select {_COLUMNS} from invitation where account_id = :account order by created_at desc, id desc"
_ONE = f"select {_COLUMNS} from invitation where account_id = :account and id = :id"
_WITHDRAW = "delete from invitation where account_id = :account and id = :id returning email"
_TAKE = """
delete from invitation
where account_id = :account and id = :id and email = :email and expires_at > godwit_now()
returning role
"""
_JOIN = """
insert into membership (account_id, creator_id, role) values (:account, :creator, :role)
on conflict (account_id, creator_id) do nothing
"""
_NEW_CREATOR = (
    "insert into creator (id, email, name) values (:id, :email, :name) on conflict (email) do nothing"
)
_ON_THE_TEAM = "select exists (select from membership where account_id = :account and creator_id = :creator)"
GONE = (
    "This invitation is not open any more: it was accepted or withdrawn, or its days are over."
    " Ask for a new one."
)


@dataclass(frozen=True)
class Invitation:
    """Somebody asked into the team; `mailed` counts how often, `over`: its days have passed.

    `was`: the other role that they were invited as before this.
    """

    id: UUID
    email: str
    role: str
    invited_by_name: str
    mailed: int
    created_at: datetime
    expires_at: datetime
    over: bool
    was: str = ""


async def invite(tx: Tx, account: Account, *, email: str, role: Role, by: Creator) -> Invitation:
    """Invite an address, or again: it is mailed with the commit.

    Raises Invalid (fields email), TooMany past a day's number.
    """
    try:
        address = canonical(email)
    except AddressError as error:
        raise Invalid([Problem("email", error.detail)]) from error
    for one in await team(tx):
        if one.email == address:
            raise Invalid([Problem("email", f"{one.name} is on the team already, as {one.role}.")])
    await refuse_over(tx, f"invitations:{account.id}", A_DAY, 86400, "day")
    before = await tx.value(_BEFORE, account=account.id, email=address)
    row = await tx.row(
        _INVITE, account=account.id, id=ids.new(), email=address, role=role, by=by.name, days=DAYS
    )
    assert row is not None
    found = Invitation(*row, was=before if before and before != role else "")
    link = f"{settings().base_url}/invitations/{tokens.sign(_PURPOSE, account.id, found.id)}"
    message = TeamInvitation(address, account.name, by.name, by.email, role, DAYS, link)
    await queue_message(tx, message)
    return found


async def invitations(tx: Tx) -> list[Invitation]:
    """All that the account has open, newest first, with those that are over and not pruned yet."""
    return [Invitation(*row) for row in await tx.rows(_ALL, account=tx.account_id)]


async def withdraw(tx: Tx, invitation_id: UUID) -> str:
    """Nobody can take it from the commit on; answers whose it was. Raises NotFound when it is not open."""
    email = await tx.value(_WITHDRAW, account=tx.account_id, id=invitation_id)
    if email is None:
        raise NotFound("This invitation is not open any more. Look whether it was accepted.")
    return email


async def mail_again(tx: Tx, account: Account, invitation_id: UUID, *, by: Creator) -> Invitation:
    """The same invitation, mailed again, its days anew. Raises NotFound, TooMany."""
    row = await tx.row(_ONE, account=account.id, id=invitation_id)
    if row is None:
        raise NotFound("This invitation is not open any more. Look whether it was accepted.")
    return await invite(tx, account, email=row.email, role=role_of(row.role), by=by)


async def opened(tx: Tx, token: str) -> tuple[Account, Invitation]:
    """What a link invites to; the transaction is within the account afterwards. Raises NotFound."""
    named = tokens.verify(_PURPOSE, token)
    if named is None:
        raise NotFound("This link is not whole. Open it from the mail, or copy all of it.")
    account_id, invitation_id = named
    assert isinstance(account_id, int)
    await tx.enter_account(account_id)
    row = await tx.row(_ONE, account=account_id, id=invitation_id)
    if row is None or row.over:
        raise NotFound(GONE)
    return await account_of(tx), Invitation(*row)


async def expect(tx: Tx, invited: Invitation, name: str) -> None:
    """Let the invited address sign in, under `name` when it never did. Raises Invalid (field name)."""
    if await creator_with(tx, invited.email) is not None:
        return
    name = name.strip()
    if problems := check_name(name, "name", "Say what the team shall call you."):
        raise Invalid(problems)
    await tx.execute(_NEW_CREATOR, id=ids.new(), email=invited.email, name=name)


async def accept(tx: Tx, account: Account, invited: Invitation, creator: Creator) -> None:
    """Make the creator a member, once. Raises Forbidden for another address than the invited, NotFound.

    Who is a member already keeps the role they have.
    """
    if creator.email != invited.email:
        raise Forbidden(f"This invitation is for {invited.email}. Sign in with that address to accept it.")
    role = await tx.value(_TAKE, account=account.id, id=invited.id, email=creator.email)
    if role is None:
        raise NotFound(GONE)
    await tx.execute(_JOIN, account=account.id, creator=creator.id, role=role)


async def joined(tx: Tx, creator: Creator) -> Account | None:
    """The account of a link that was `opened`, whose team the creator is on; None when they are not."""
    if tx.account_id is None:
        return None
    member = await tx.value(_ON_THE_TEAM, account=tx.account_id, creator=creator.id)
    return await account_of(tx) if member else None
