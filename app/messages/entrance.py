"""Who stands at these pages, as far as this slice needs to know them: accounts stands above it."""

from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol, runtime_checkable

from app.answers import Shell
from app.base.database import Tx
from app.messages.given import Signature


@runtime_checkable
class Desk(Protocol):
    """A creator at work in one of their accounts (`accounts.Desk`)."""

    @property
    def role(self) -> str:
        """Owner, editor or writer."""
        ...

    def transaction(self) -> AbstractAsyncContextManager[Tx]:
        """A transaction in the account."""
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
    def account(self) -> Any:
        """The account: its name, sender_name and reply_to."""
        ...

    def transaction(self) -> AbstractAsyncContextManager[Tx]:
        """A transaction in the account."""
        ...


def signature_of(caller: Caller) -> Signature:
    """Who signs the mails of this program's account."""
    return Signature(caller.account.sender_name or caller.account.name, caller.account.reply_to)
