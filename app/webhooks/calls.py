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
from app.jobs import Work
from app.webhooks import secrets
from app.webhooks.reach import policy

#: Seconds that must be left of a lease beyond the call itself, to tell what became of it.
SPARE = 5.0
USER_AGENT = "Godwit-Webhooks/1"

_WHAT = "select * from webhook_calls(cast(:jobs as bigint[]), cast(:leases as bigint[]))"


class NoTime(Exception):
    """Too little is left of the lease to begin the call; nothing was sent."""


@dataclass(frozen=True)
class Call:
    """What one attempt sends, and where to. `failures`: of the endpoint, in a row; `age`: of the delivery in
    seconds; `throttles`: how often it was put off; `unix_time`: the database's, for the signature."""

    account_id: int
    endpoint_id: UUID
    url: str
    state: str
    deleted: bool
    reason: str | None
    failures: int
    webhook_id: str
    type: str
    sequence: int
    body: bytes
    redelivery: int
    throttles: int
    age: float
    unix_time: int
    secrets: list[bytes]
    secret_ids: list[UUID]


class _Desk:
    """What the attempts of one pool ask together."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.what: Together[tuple[int, int], Call | None] = Together(self._what)
        self.ours: Together[tuple[int, int], bool | None] = Together(self._ours)
        self.policy: Together[None, Policy] = Together(self._policy)

    async def _what(self, held: Sequence[tuple[int, int]]) -> Sequence[Call | None]:
        async with self._database.transaction() as tx:
            rows: list[Any] = await tx.rows(
                _WHAT, jobs=[one for one, _ in held], leases=[two for _, two in held]
            )
        found = {row.job_id: Call(*row[1:]) for row in rows}
        return [found.get(job_id) for job_id, _ in held]

    async def _ours(self, held: Sequence[tuple[int, int]]) -> Sequence[bool | None]:
        """By the database's clock; None: too little is left."""
        async with self._database.transaction() as tx:
            rows = await tx.rows(
                sql(__package__, "leases_held"),
                jobs=[one for one, _ in held],
                leases=[two for _, two in held],
                seconds=settings().sending.webhook_timeout + SPARE,
            )
        found = {row.id: row.enough or None for row in rows}
        return [found.get(job_id, False) for job_id, _ in held]

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


def headers_of(call: Call) -> dict[str, str]:
    """The headers of an attempt, signed with every live secret (W4). Raises Unsealable."""
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
    }
    return headers | ({"godwit-redelivery": str(call.redelivery)} if call.redelivery else {})


async def send(work: Work, call: Call, headers: dict[str, str]) -> Answer:
    """Connect, look at the lease, write at once. Raises NotAllowed, NotReached, Lost, NoTime, LeaseLost."""
    allowed = None
    if settings().mode == "testing":
        allowed = await _desk(work.database).policy(None)
    return await client().post(
        _target(call.url),
        list(headers.items()),
        call.body,
        deadline=asyncio.get_running_loop().time() + settings().sending.webhook_timeout,
        ready=_still_ours(work),
        allow=allowed,
    )


def _still_ours(work: Work) -> Callable[[], Awaitable[None]]:
    async def check() -> None:
        await failpoints.reached(work.database, "before_check", "webhooks", work.job.kind)
        held = await _desk(work.database).ours((work.job.id, work.job.lease))
        if held is False:
            raise work.lost()
        if held is None:
            raise NoTime
        await failpoints.reached(work.database, "after_check", "webhooks", work.job.kind)

    return check


@lru_cache(maxsize=4096)
def _target(url: str) -> Target:
    return target_of(url)
