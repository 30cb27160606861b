"""Telling a mailing's source that it finished or needs a person: a job, in the same commit.

The ledger never imports its sources: a mailing names the kind of job (`mailing.on_change`), and the
slice that began it registers the arguments of that kind here.
"""

from collections.abc import Callable
from typing import Any, Literal, TypeVar
from uuid import UUID

from app.base.database import Tx
from app.jobs import enqueue

Change = Literal["finished", "needs_person"]
T = TypeVar("T")

_listeners: dict[str, Callable[..., Any]] = {}
_ON_CHANGE = "select on_change from mailing where account_id = :account and id = :mailing"


def hears_of_mailings(kind: str) -> Callable[[type[T]], type[T]]:
    """Register a job's arguments, made of (mailing_id, change, reason), under the kind that mailings name."""

    def register(args: type[T]) -> type[T]:
        _listeners[kind] = args
        return args

    return register


async def announce(
    tx: Tx, mailing_id: UUID, change: Change, reason: str = "", *, key: str | None = None
) -> None:
    """Enqueue the job that the mailing names, if it names one; `key`: once for ever."""
    kind = await tx.value(_ON_CHANGE, account=tx.account_id, mailing=mailing_id)
    if kind is not None:
        await enqueue(tx, _listeners[kind](mailing_id, change, reason), key=key)
