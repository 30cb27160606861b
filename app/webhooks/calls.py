"""One attempt: read and sign what is to be sent, connect, look at the lease, send.

At a thousand attempts a second a transaction each would cost more than the call: what many attempts ask the
database at the same moment is one statement (`Together`).
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from uuid import UUID
from weakref import WeakKeyDictionary

from app.base import failpoints
from app.base.database import Database
from app.base.settings import settings
from app.base.statements import sql
from app.base.together import Together
from app.egress import Answer, Policy, Target, client, target_of
from app.jobs import LEASE_USED, Work
from app.webhooks import secrets
from app.webhooks.reach import policy

#: Seconds that must be left of a lease beyond the call itself, to tell what became of it.
SPARE = 5.0
#: The part of its time-out without which a call is not begun, and that which is kept for asking the database.
LEAST, ASKING = 0.5, 0.1
USER_AGENT = "Godwit-Webhooks/1"

_WHAT = "select * from deliveries_in_hand(cast(:jobs as bigint[]), cast(:leases as bigint[]))"


class NoTime(Exception):
    """Too little is left of the lease to begin the call; nothing was sent."""


@dataclass(frozen=True)
class Call:
    """What one attempt sends, and where to. `era`: of the endpoint (switching.py); `troubled`: its last try
    failed or was put off; `age`: of the delivery in seconds; `throttles`: how often it was put off;
    `unix_time`: the database's, for the signature; `left`: seconds of the lease, at `asked_at` at least (the
    loop's clock)."""

    account_id: int
    endpoint_id: UUID
    url: str
    era: int
    state: str
    deleted: bool
    troubled: bool
    webhook_id: str
    type: str
    sequence: int
    body: bytes
    redelivery: int
    throttles: int
    age: float
    unix_time: int
    left: float
    secrets: list[bytes]
    secret_ids: list[UUID]
    asked_at: float


class _Desk:
    """What the attempts of one pool ask together."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.what: Together[tuple[int, int], Call | None] = Together(self._what)
        self.ours: Together[tuple[int, int, float], bool | None] = Together(self._ours)
        self.policy: Together[None, Policy] = Together(self._policy)

    async def _what(self, held: Sequence[tuple[int, int]]) -> Sequence[Call | None]:
        asked_at = asyncio.get_running_loop().time()
        async with self._database.transaction() as tx:
            rows: list[Any] = await tx.rows(
                _WHAT, jobs=[one for one, _ in held], leases=[two for _, two in held]
            )
        found = {row.job_id: Call(*row[1:], asked_at=asked_at) for row in rows}
        return [found.get(job_id) for job_id, _ in held]

    async def _ours(self, held: Sequence[tuple[int, int, float]]) -> Sequence[bool | None]:
        """By the database's clock; None: the seconds that it needs are not left."""
        async with self._database.transaction() as tx:
            rows = await tx.rows(
                sql(__package__, "leases_held"),
                jobs=[one for one, _, _ in held],
                leases=[two for _, two, _ in held],
                seconds=[three for _, _, three in held],
            )
        found = {row.id: row.enough or None for row in rows}
        return [found.get(job_id, False) for job_id, _, _ in held]

    async def _policy(self, asked: Sequence[None]) -> Sequence[Policy]:
        return [await policy(self._database)] * len(asked)


_desks: "WeakKeyDictionary[Database, _Desk]" = WeakKeyDictionary()


def _desk(database: Database) -> _Desk:
    if database not in _desks:
        _desks[database] = _Desk(database)
    return _desks[database]


async def call_of(work: Work) -> Call | None:
    """What this attempt sends; None when the lease is lost, or the event is no longer kept."""
    return await _desk(work.database).what((work.job.id, work.job.lease))


def headers_of(call: Call, attempt: int) -> dict[str, str]:
    """The headers of an attempt of this number, signed with every live secret (W4). Raises Unsealable."""
    keys = [
        secrets.opened(call.account_id, call.endpoint_id, one, bytes(sealed))
        for one, sealed in zip(call.secret_ids, call.secrets, strict=True)
    ]
    headers = {
        "content-type": "application/json",
        "user-agent": USER_AGENT,
        "webhook-id": call.webhook_id,
        "webhook-timestamp": str(call.unix_time),
        "webhook-signature": secrets.signature(keys, call.webhook_id, call.unix_time, call.body),
        "godwit-sequence": str(call.sequence),
        "godwit-attempt": str(attempt),
    }
    return headers | ({"godwit-redelivery": str(call.redelivery)} if call.redelivery else {})


async def send(work: Work, call: Call, headers: dict[str, str]) -> Answer:
    """Connect, look at the lease, write at once. Raises NotAllowed, NotReached, Lost, NoTime, LeaseLost."""
    deadline = _deadline_of(call)
    allowed = None
    if settings().mode == "testing":
        allowed = await _desk(work.database).policy(None)
    return await client().post(
        _target(call.url),
        list(headers.items()),
        call.body,
        deadline=deadline,
        ready=_still_ours(work, deadline),
        allow=allowed,
    )


def _deadline_of(call: Call) -> float:
    """When the call is over, by the loop's clock: its time-out from now, or what its lease allows of it.

    GODWIT_LEASE may be hardly more than five seconds above the time-out. Raises NoTime.
    """
    now, sending = asyncio.get_running_loop().time(), settings().sending
    rest = max(SPARE, sending.lease * (1 - LEASE_USED)) + min(1.0, sending.webhook_timeout * ASKING)
    deadline = min(now + sending.webhook_timeout, call.asked_at + call.left - rest)
    if deadline - now < sending.webhook_timeout * LEAST:
        raise NoTime
    return deadline


def _still_ours(work: Work, deadline: float) -> Callable[[], Awaitable[None]]:
    async def check() -> None:
        await failpoints.reached(work.database, "before_check", "webhooks", work.job.kind)
        needed = deadline - asyncio.get_running_loop().time() + SPARE
        held = await _desk(work.database).ours((work.job.id, work.job.lease, needed))
        if held is False:
            raise work.lost()
        if held is None:
            raise NoTime
        await failpoints.reached(work.database, "after_check", "webhooks", work.job.kind)

    return check


@lru_cache(maxsize=4096)
def _target(url: str) -> Target:
    return target_of(url)
