"""Receivers of webhooks that testers make: real servers on this machine that keep what they are sent.

What goes wrong at one, by the kind of the fault (`mailbox.fault` of target endpoint):

| kind             | kept | the caller sees                                                       |
|------------------|------|-----------------------------------------------------------------------|
| accept_then_drop | yes  | the connection closed, without an answer                              |
| accept_then_500  | yes  | 500                                                                   |
| cut              | yes  | the beginning of an answer, then the connection closed                |
| slow             | yes  | the answer that was ordered, later by the fault's delay               |
| rate_limited     | yes  | 429 with a Retry-After of the fault's delay, in whole seconds         |
| refuse           | yes  | 400                                                                   |
| hang             | yes  | nothing, until the caller gives up                                    |
| down             | no   | the connection reset                                                  |

A call at which one other than slow fires takes none of the ordered answers.
"""

import asyncio
import math
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from http import HTTPStatus

from sqlalchemy.exc import DBAPIError

from app.base import ids
from app.base.database import Database, Tx
from app.base.errors import GodwitError, Unavailable
from app.base.rehearsal import RECEIVERS_HOST
from app.base.settings import settings
from app.base.telemetry import log
from app.fakes import Call, FakeReceiver, Reply, why_unverified
from app.webhooks import endpoints, live_secrets

_MAKE = """
insert into mailbox.receiver (id, account_id, port, answers, delay)
values (:id, :account, :port, :answers, :delay)
"""
_PORTS = "select distinct port from mailbox.receiver"
_KNOWN = "select account_id, delay from mailbox.receiver where id = :id and port = :port for key share"
_ANSWER = """
update mailbox.receiver set given = given + 1 where id = :id
returning answers[least(given, cardinality(answers))]
"""
#: The faults that fire at this call: every slow one, and the first of the others; each match is counted once.
_FAULTS = """
with matching as (
    select id, kind, delay, seen >= after and (times is null or fired < times) as due from mailbox.fault
    where target = 'endpoint' and (match_endpoint is null or match_endpoint = :id)
    order by id for update
),
firing as (
    select id, kind, delay,
        due and (kind = 'slow' or id = min(id) filter (where due and kind <> 'slow') over ()) as fires
    from matching
)
update mailbox.fault f set seen = f.seen + 1, fired = f.fired + cast(firing.fires as int)
from firing where f.id = firing.id
returning case when firing.fires then f.kind end as kind, f.delay
"""
_KEEP = """
insert into mailbox.request (receiver_id, headers, body, verified, answered, fault)
values (:id, :headers, :body, :verified, :answered, :fault)
"""
_TRIES, _PAUSE = 50, 0.1

_INSTEAD: dict[str, Callable[[float], Reply]] = {
    "accept_then_drop": lambda delay: Reply(ending="drop"),
    "accept_then_500": lambda delay: _said(500),
    "cut": lambda delay: Reply(ending="cut"),
    "rate_limited": lambda delay: _said(429, ("Retry-After", str(math.ceil(delay)))),
    "refuse": lambda delay: _said(400),
    "hang": lambda delay: Reply(ending="hang"),
    "down": lambda delay: Reply(ending="reset"),
}
FAULT_KINDS = (*_INSTEAD, "slow")


class Receivers:
    """Those that listen in this web process: one server, and what became of those of an earlier process."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._servers: dict[int, FakeReceiver] = {}
        self._starting = asyncio.Lock()

    async def resume(self) -> None:
        """Listen where receivers listened before this process began; nobody does outside testing mode."""
        if settings().mode != "testing":
            return
        try:
            async with self._database.transaction() as tx:
                ports = [row.port for row in await tx.rows(_PORTS)]
        except (Unavailable, DBAPIError) as error:
            log.warning("receivers_not_found_again", error=repr(error))
            return
        for port in ports:
            with suppress(OSError):  # another process has it, and answers there
                await self._listen(port)

    async def port(self) -> int:
        """Where new receivers are."""
        async with self._starting:
            if not self._servers:
                await self._listen(0)
        return next(iter(self._servers))

    async def stop(self) -> None:
        """Nobody listens any more."""
        for server in self._servers.values():
            await server.stop()
        self._servers.clear()

    async def _listen(self, port: int) -> None:
        async def meet(call: Call) -> Reply:
            return await met(self._database, server.port, call)

        server = FakeReceiver(meet, port=port)
        await server.start()
        self._servers[server.port] = server


def address_of(receiver_id: str, port: int) -> str:
    """What an endpoint has as its URL."""
    return f"http://{RECEIVERS_HOST}:{port}/r/{receiver_id}"


async def add_receiver(
    tx: Tx, account_id: int, port: int, *, answers: Sequence[int] = (200,), delay: float = 0.0
) -> dict[str, str]:
    """Keep one: its id and its address."""
    receiver_id = str(ids.new())
    await tx.execute(_MAKE, id=receiver_id, account=account_id, port=port, answers=list(answers), delay=delay)
    return {"id": receiver_id, "url": address_of(receiver_id, port)}


async def met(database: Database, port: int, call: Call) -> Reply:
    """Keep what came and say what is answered; a database that is away is waited for, a few seconds."""
    receiver_id = call.path.partition("?")[0].removeprefix("/r/")
    for left in reversed(range(_TRIES)):
        try:
            async with database.transaction() as tx:
                return await _answered(tx, receiver_id, port, call)
        except Unavailable:
            if not left:
                break
            await asyncio.sleep(_PAUSE)
        except (GodwitError, DBAPIError) as error:
            log.warning("receiver_failed", receiver=receiver_id, exc_info=error)
            break
    return Reply(ending="drop")


async def _answered(tx: Tx, receiver_id: str, port: int, call: Call) -> Reply:
    known = await tx.row(_KNOWN, id=receiver_id, port=port)
    if known is None:
        return _said(404)
    fault, late = await _faults(tx, receiver_id)
    reply = _INSTEAD[fault](late) if fault else _said(await tx.value(_ANSWER, id=receiver_id))
    if fault == "down":
        return reply
    await tx.enter_account(known.account_id)
    await tx.execute(
        _KEEP,
        id=receiver_id,
        headers=[[name, value] for name, value in call.headers],
        body=call.body,
        verified=await _verified(tx, address_of(receiver_id, port), call),
        answered=reply.status if reply.ending == "whole" else None,
        fault=fault or ("slow" if late else None),
    )
    wait = known.delay + (0 if fault else late)
    return Reply(reply.status, reply.headers, reply.body, wait, reply.ending)


async def _faults(tx: Tx, receiver_id: str) -> tuple[str, float]:
    """The kind that fires ('' for none but slow ones), and seconds: its own, or those of the slow ones."""
    fired = [row for row in await tx.rows(_FAULTS, id=receiver_id) if row.kind]
    chosen = next((row for row in fired if row.kind != "slow"), None)
    if chosen is not None:
        return chosen.kind, chosen.delay
    return "", sum(row.delay for row in fired)


async def _verified(tx: Tx, url: str, call: Call) -> bool | None:
    """Whether a live secret of an endpoint with this address signed it; None without such an endpoint.

    By this machine's time, as receivers elsewhere do: signatures keep the real time when the clock is moved.
    """
    secrets: list[str] = []
    for one in [one for one in await endpoints(tx) if one.url == url]:
        secrets += await live_secrets(tx, one.id)
    if not secrets:
        return None
    return not why_unverified(secrets, dict(call.headers), call.body, time.time())


def _said(status: int, *headers: tuple[str, str]) -> Reply:
    try:
        phrase = HTTPStatus(status).phrase
    except ValueError:
        phrase = "as ordered"
    body = b"" if status in (204, 304) else f"{status} {phrase}\n".encode()
    return Reply(status, (("Content-Type", "text/plain"), *headers), body)
