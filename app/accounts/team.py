"""A team: roles changed, members removed. Somebody owns each publication; the database keeps that."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from uuid import UUID

from sqlalchemy.exc import IntegrityError

from app.accounts.queries import TeamMember, team
from app.accounts.rights import ROLES, Role
from app.base.database import Tx
from app.base.errors import Conflict, Invalid, NotFound, Problem

_CHANGE = """
update membership set role = :role
where account_id = :account and creator_id = :creator and role = :was
"""
_REMOVE = "delete from membership where account_id = :account and creator_id = :creator"
_LAST = "A publication keeps an owner. Make somebody else an owner first."
_GONE = "There is nobody like that on the team."


async def member(tx: Tx, creator_id: UUID) -> TeamMember:
    """One of the team. Raises NotFound."""
    for one in await team(tx):
        if one.id == creator_id:
            return one
    raise NotFound(_GONE)


def role_of(given: str) -> Role:
    """The role that a form names. Raises Invalid."""
    for role in ROLES:
        if role == given:
            return role
    raise Invalid([Problem("role", "Choose what they may do: owner, editor or writer.")])


async def change_role(tx: Tx, creator_id: UUID, *, was: str, role: Role) -> None:
    """Give another role than `was`, which whoever decides saw.

    Raises NotFound, and Conflict when it is another by now, or for the last owner.
    """
    async with _an_owner_stays(tx):
        changed = await tx.execute(_CHANGE, account=tx.account_id, creator=creator_id, was=was, role=role)
    if not changed:
        found = await member(tx, creator_id)
        raise Conflict(f"{found.name} was made {found.role} meanwhile. Look again, and decide anew.")


async def remove_member(tx: Tx, creator_id: UUID) -> None:
    """Out of the team, from the next request on. Raises NotFound, and Conflict for the last owner."""
    async with _an_owner_stays(tx):
        gone = await tx.execute(_REMOVE, account=tx.account_id, creator=creator_id)
    if not gone:
        raise NotFound(_GONE)


@asynccontextmanager
async def _an_owner_stays(tx: Tx) -> AsyncGenerator[None]:
    try:
        async with tx.savepoint():
            yield
    except IntegrityError as error:
        raise Conflict(_LAST) from error
