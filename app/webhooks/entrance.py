"""Who stands at these pages, as far as this slice needs to know them: accounts stands above it."""

from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol, runtime_checkable

from app.answers import Shell
from app.base.database import Database, Tx


@runtime_checkable
class Desk(Protocol):
    """A creator at work in one of their accounts (`accounts.Desk`)."""

    @property
    def account(self) -> Any:
        """The account: its zone."""
        ...

    @property
    def database(self) -> Database:
        """The web process's pool."""
        ...

    def transaction(self) -> AbstractAsyncContextManager[Tx]:
        """A transaction in the account."""
        ...

    def may(self, act: Any) -> bool:
        """Whether their role may do it."""
        ...

    def shell(self, section: str) -> Shell:
        """What the studio's frame needs."""
        ...

    def url(self, path: str = "") -> str:
        """The address of a page in this studio."""
        ...


@runtime_checkable
class Caller(Protocol):
    """A program with a key of one account (`accounts.ApiCaller`)."""

    @property
    def database(self) -> Database:
        """The web process's pool."""
        ...

    def transaction(self) -> AbstractAsyncContextManager[Tx]:
        """A transaction in the account."""
        ...
