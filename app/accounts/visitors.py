"""Who came in, and in whose name: what a guard leaves on the request for the handlers behind it."""

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from litestar.connection import ASGIConnection

from app.accounts.queries import Account, Creator
from app.accounts.rights import Act, acts_of
from app.answers import Flash, Halt, Link, Shell, SiteFrame, take_flash
from app.base.database import Database, Tx


@dataclass(frozen=True)
class Desk:
    """A creator at work in one of their accounts; `elsewhere`: they have others. `role` is a rights.Role."""

    account: Account
    creator: Creator
    role: str
    database: Database
    request: ASGIConnection
    halts: tuple[Halt, ...] = ()
    elsewhere: bool = False

    def transaction(self) -> AbstractAsyncContextManager[Tx]:
        """A transaction in the account."""
        return self.database.transaction(self.account.id)

    def shell(self, section: str, flash: Flash | None = None) -> Shell:
        """What the studio's frame needs; a flash that came with the request is shown now, once."""
        return Shell(
            account_slug=self.account.slug,
            account_name=self.account.name,
            site_url=self.account.site_url,
            creator_name=self.creator.name,
            creator_email=self.creator.email,
            operator=self.creator.operator,
            role=self.role,
            section=section,
            zone=self.account.zone,
            flash=flash or take_flash(self.request),
            halts=self.halts,
            elsewhere=self.elsewhere,
        )

    def may(self, act: Act) -> bool:
        """Whether their role may do it (rights.py)."""
        return act in acts_of(self.role)

    def url(self, path: str = "") -> str:
        """The address of a page in this studio: `url("readers")` is `/studio/{slug}/readers`."""
        return f"/studio/{self.account.slug}/{path}".rstrip("/")


@dataclass(frozen=True)
class ApiCaller:
    """A program with a key of one account. `idempotency_key` is what it sent, if anything."""

    account: Account
    key_name: str
    database: Database
    idempotency_key: str | None = None

    def transaction(self) -> AbstractAsyncContextManager[Tx]:
        """A transaction in the account."""
        return self.database.transaction(self.account.id)


@dataclass(frozen=True)
class SiteVisit:
    """Anybody on an account's site; `links` are the pages of its navigation."""

    account: Account
    database: Database
    links: tuple[Link, ...] = ()

    def transaction(self) -> AbstractAsyncContextManager[Tx]:
        """A transaction in the account."""
        return self.database.transaction(self.account.id)

    def frame(self) -> SiteFrame:
        """What the site's frame needs."""
        return SiteFrame(
            name=self.account.name,
            url=self.account.site_url,
            description=self.account.description,
            feed_url=self.account.site_url + "/feed.xml",
            locale=self.account.locale,
            zone=self.account.zone,
            links=self.links,
        )


@dataclass(frozen=True)
class Operator:
    """Whoever runs this Godwit, at the console: counts, states and ages of everybody, never content."""

    creator: Creator
    database: Database
    request: ASGIConnection

    def transaction(self) -> AbstractAsyncContextManager[Tx]:
        """A transaction as the operator's role."""
        return self.database.transaction()

    @property
    def flash(self) -> Flash | None:
        """What was just said, once."""
        return take_flash(self.request)
