"""Kinds of job: a frozen dataclass that names its kind and limits, and its one handler.

    @job("build_mailing", queue="build")
    @dataclass(frozen=True)
    class BuildMailing: ...

    @handles(BuildMailing)
    async def build(work: Work, args: BuildMailing) -> Outcome: ...

The type may stand in a lower slice than its handler: news that must climb goes as a job.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

import msgspec

from app.base.database import Database, Tx
from app.jobs.backoff import DEFAULT, Backoff
from app.jobs.deadlines import Deadline, Deadlines
from app.jobs.leases import LeaseLost, extend, seconds_of
from app.jobs.outcomes import Outcome

#: A family is one arq queue with handlers and slots of its own: family → handlers at once. Those of webhooks
#: wait for strangers, and ask the database together.
QUEUES = {
    "codes_creators": 4,
    "codes_readers": 4,
    "messages": 4,
    "webhooks": 256,
    "sends": 8,
    "build": 2,
    "imports": 2,
    "payments": 2,
    "housekeeping": 2,
}

#: The part of a lease that a handler may use: the rest is for telling what became of it.
LEASE_USED = 0.9

T = TypeVar("T")
#: Takes stored args of one version, answers those of the next.
Upgrade = Callable[[dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True)
class Kind:
    """What is known of a kind of job. `tries` counts attempts; `secrets` are args forgotten at the end.

    `abroad`: its handler waits for a stranger, at the pace of each (see `pacing`), in a queue that is paced.
    `upgrades[n - 1]` makes args of version n into those of version n + 1.
    """

    name: str
    queue: str
    args: type[Any]
    tries: int
    on_unknown: str
    secrets: tuple[str, ...]
    backoff: Backoff
    upgrades: tuple[Upgrade, ...]
    abroad: bool = False

    @property
    def version(self) -> int:
        """The version of the args that are made now; every older one can be read."""
        return 1 + len(self.upgrades)


class ClaimedJob(msgspec.Struct, frozen=True):
    """A job in hand, with the lease that entitles to settle it. The order is that of a claim's columns."""

    id: int
    account_id: int
    queue: str
    kind: str
    args: dict[str, Any]
    share: str
    lease: int
    attempts: int
    max_attempts: int
    on_unknown: str
    cause: str
    leased_at: datetime
    version: int = 1
    lane: str | None = None
    rank: int | None = None


class Work:
    """What a handler is given: its job, transactions in the job's account, and whether to stop soon."""

    def __init__(
        self,
        database: Database,
        job: ClaimedJob,
        is_stopping: Callable[[], bool],
        deadlines: Deadlines | None = None,
    ) -> None:
        self.database = database
        self.job = job
        self._is_stopping = is_stopping
        self._deadlines = deadlines
        self._deadline: Deadline | None = None

    @property
    def stopping(self) -> bool:
        """Whether the worker was asked to end: finish the step in hand and answer Continue."""
        return self._is_stopping()

    def transaction(self) -> AbstractAsyncContextManager[Tx]:
        """A transaction in the job's account."""
        return self.database.transaction(self.job.account_id)

    @asynccontextmanager
    async def step(self) -> AsyncGenerator[Tx]:
        """A transaction that commits only while the lease is ours, and extends it (long work).

        Raises LeaseLost, and nothing of the step stands, when somebody else holds the job.
        """
        async with self.transaction() as tx:
            if not await extend(tx, self.job.id, self.job.lease, self.job.queue):
                raise LeaseLost(self.job.id)
            yield tx
        if self._deadline is not None:
            self._deadline.move(seconds_of(self.job.queue) * LEASE_USED)

    def lost(self) -> LeaseLost:
        """What to raise when the lease was seen to be somebody else's: nothing of this try is told."""
        return LeaseLost(self.job.id)

    def within_lease(self) -> Deadline:
        """Cut what is inside off shortly before the lease ends; each step moves that end."""
        deadlines = self._deadlines or Deadlines(deadlines_late(self.job.queue))
        self._deadline = deadlines.within(seconds_of(self.job.queue) * LEASE_USED)
        return self._deadline

    @property
    def overran(self) -> bool:
        """Whether `within_lease` cut the handler off."""
        return self._deadline is not None and self._deadline.over


def deadlines_late(queue: str) -> float:
    """Seconds by which a handler may be cut off late: a part of what is left of its lease then."""
    return seconds_of(queue) * (1 - LEASE_USED) / 5


Handler = Callable[[Work, Any], Awaitable[Outcome]]
_kinds: dict[str, Kind] = {}
_by_type: dict[type[Any], Kind] = {}
_handlers: dict[str, Handler] = {}


def job(
    name: str,
    *,
    queue: str,
    tries: int = 5,
    on_unknown: str = "ready",
    secrets: tuple[str, ...] = (),
    backoff: Backoff = DEFAULT,
    upgrades: tuple[Upgrade, ...] = (),
    abroad: bool = False,
) -> Callable[[type[T]], type[T]]:
    """Register a frozen dataclass as the args of the kind `name`.

    Whoever changes the fields so that stored args no longer fit adds an upgrade; the fixtures of the
    versions before stay in tests/jobs/fixtures and are read for ever.
    """

    def register(args: type[T]) -> type[T]:
        if name in _kinds or queue not in QUEUES:
            raise ValueError(f"job kind {name!r} is taken, or {queue!r} is no queue")
        kind = Kind(name, queue, args, tries, on_unknown, secrets, backoff, upgrades, abroad)
        _kinds[name] = _by_type[args] = kind
        return args

    return register


def handles(args: type[Any]) -> Callable[[Handler], Handler]:
    """Register the one handler of a kind."""

    def register(handler: Handler) -> Handler:
        name = _by_type[args].name
        if name in _handlers:
            raise ValueError(f"job kind {name!r} has a handler already")
        _handlers[name] = handler
        return handler

    return register


def kind_of(args: object) -> Kind:
    """The kind that these args belong to. Raises KeyError for an unregistered type."""
    return _by_type[type(args)]


def kind_named(name: str) -> Kind:
    """The kind of that name. Raises KeyError when this process does not know it."""
    return _kinds[name]


def handler_of(name: str) -> Handler:
    """The handler of a kind. Raises KeyError when this process has none."""
    return _handlers[name]


def handled_kinds(queue: str) -> dict[str, int]:
    """The kinds of a queue that this process can handle, and the newest version it can read of each.

    A worker claims nothing else: what a newer release made waits for a newer worker.
    """
    return {name: _kinds[name].version for name in sorted(_handlers) if _kinds[name].queue == queue}


def registered_kinds() -> list[Kind]:
    """Every kind this process knows, by name."""
    return [_kinds[name] for name in sorted(_kinds)]


def encoded(args: object) -> dict[str, Any]:
    """Args as they are stored."""
    return msgspec.to_builtins(args)


def decoded(kind: Kind, stored: dict[str, Any], version: int | None = None) -> Any:
    """Args as the handler takes them, from any version (None: the present one) on.

    Raises msgspec.ValidationError or KeyError when they do not fit.
    """
    for upgrade in kind.upgrades[(version or kind.version) - 1 :]:
        stored = upgrade(stored)
    return msgspec.convert(stored, kind.args)
