"""What is asked about accounts, creators and teams."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from app.base.database import Tx
from app.base.errors import NotFound
from app.base.settings import settings


@dataclass(frozen=True)
class Account:
    """A publication as its team sees it. `zone` is an IANA name; `site_url` has no slash at its end.

    `undo_seconds` pass between the press in the studio and the start of an email.
    """

    id: int
    slug: str
    name: str
    description: str
    postal_address: str
    sender_name: str
    reply_to: str | None
    locale: str
    zone: str
    undo_seconds: int
    site_url: str


@dataclass(frozen=True)
class Creator:
    """Somebody who signs in. `operator`: they also run the installation."""

    id: UUID
    email: str
    name: str
    operator: bool = False


@dataclass(frozen=True)
class AccountLine:
    """An account in a list."""

    id: int
    slug: str
    name: str
    role: str
    created_at: datetime


@dataclass(frozen=True)
class KeyLine:
    """An API key as it can still be shown: its name and its last letters."""

    id: UUID
    name: str
    hint: str
    created_at: datetime
    used_at: datetime | None


@dataclass(frozen=True)
class TeamMember:
    """A creator in an account."""

    id: UUID
    email: str
    name: str
    role: str
    since: datetime


_ACCOUNT = """
select id, slug, name, description, postal_address, sender_name, reply_to, locale, zone, undo_seconds
from account where id = :account and state = 'active'
"""
_ALL = """
select distinct on (m.created_at, m.account_id) m.account_id, m.slug, m.name, m.role, m.created_at
from creator c cross join lateral memberships_of(c.id) m order by m.created_at, m.account_id
"""
_OF = """
select account_id, slug, name, role, created_at from memberships_of(:creator)
"""
_KEYS = """
select id, name, hint, created_at, used_at from api_key
where account_id = :account and revoked_at is null order by created_at desc, id desc
"""
_TEAM = """
select c.id, c.email, c.name, m.role, m.created_at as since
from membership m join creator c on c.id = m.creator_id
where m.account_id = :account order by m.created_at, c.id
"""


async def account_of(tx: Tx) -> Account:
    """The transaction's account. Raises NotFound when it is closed."""
    row = await tx.row(_ACCOUNT, account=tx.account_id)
    if row is None:
        raise NotFound("There is no such publication.")
    return Account(**row._mapping, site_url=settings().site_url(row.slug))


def account_in(row: Any) -> Account:
    """The account in a row that has its columns, its state among them. Raises NotFound when it is closed."""
    if row.state != "active":
        raise NotFound("There is no such publication.")
    columns = {name: getattr(row, name) for name in Account.__dataclass_fields__ if name != "site_url"}
    return Account(**columns, site_url=settings().site_url(row.slug))


async def account_named(tx: Tx, slug: str) -> int | None:
    """The id of the account with this slug, or None; asked before anybody is within an account."""
    return await tx.value("select account_by_host(:slug)", slug=slug)


async def list_accounts(tx: Tx) -> list[AccountLine]:
    """Every account that has a team, oldest first; for whoever runs the installation."""
    return [AccountLine(*row) for row in await tx.rows(_ALL)]


async def accounts_of(tx: Tx, creator_id: UUID) -> list[AccountLine]:
    """The accounts a creator belongs to, by name."""
    return [AccountLine(*row) for row in await tx.rows(_OF, creator=creator_id)]


async def creator_with(tx: Tx, email: str) -> Creator | None:
    """The creator with this canonical address."""
    row = await tx.row("select id, email, name from creator where email = :email", email=email)
    return Creator(*row) if row else None


async def has_creators(tx: Tx) -> bool:
    """Whether anybody can sign in yet."""
    return bool(await tx.value("select exists (select from creator)"))


async def api_keys(tx: Tx) -> list[KeyLine]:
    """The account's live keys, newest first."""
    return [KeyLine(*row) for row in await tx.rows(_KEYS, account=tx.account_id)]


async def team(tx: Tx) -> list[TeamMember]:
    """Who belongs to the account, longest first."""
    return [TeamMember(*row) for row in await tx.rows(_TEAM, account=tx.account_id)]
