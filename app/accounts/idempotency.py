"""Kept answers: one Idempotency-Key, one answer, for 24 hours (promise 6).

A row says that a call is under way; its answer is stored when the handler is through. Only what
was done is kept: an answer below 400. One that was refused changed nothing and may be mended and
sent again under its key. A secret in an answer (`told_once`) is not kept. A crash in between leaves
the row unfinished; after a minute, which is longer than any handler of ours may run, whoever asks again
takes the call over.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, cast

import msgspec
from litestar import Request
from litestar.datastructures import MutableScopeHeaders
from litestar.types import ASGIApp, Message, Receive, Scope, Send
from sqlalchemy.exc import DBAPIError

from app.accounts.guards import caller_of
from app.accounts.visitors import ApiCaller
from app.answers import told_once_by
from app.base.errors import Conflict, Invalid, Problem, Unavailable
from app.base.telemetry import log

HOURS = 24
STALE = 60  # seconds after which an unfinished call is taken over
#: How often it is tried to keep an answer, and seconds between two.
TRIES, PAUSE = 4, 0.25
_KEPT_HEADERS = ("content-type", "location")

_FORGET = """
delete from idempotency
where account_id = :account and created_at < clock_timestamp() - make_interval(hours => :hours)
"""
_BEGIN = """
insert into idempotency (account_id, key, request_hash, created_at)
values (:account, :key, :hash, clock_timestamp())
on conflict (account_id, key) do update set created_at = clock_timestamp()
    where idempotency.finished_at is null and idempotency.request_hash = excluded.request_hash
      and idempotency.created_at < clock_timestamp() - make_interval(secs => :stale)
returning created_at
"""
_KNOWN = "select request_hash, status, answer from idempotency where account_id = :account and key = :key"
_END = """
update idempotency set status = :status, answer = cast(:answer as jsonb), finished_at = godwit_now()
where account_id = :account and key = :key and created_at = :began and finished_at is null
"""
_DROP = """
delete from idempotency
where account_id = :account and key = :key and created_at = :began and finished_at is null
"""


class StillRunning(Conflict):
    """The first call with this key is not through yet. `retry_after` is in seconds."""

    retry_after = 1


@dataclass(frozen=True)
class _Begun:
    """A call that is ours to make, and the moment that fences it."""

    key: str
    began: Any


class KeptAnswers:
    """ASGI middleware in front of the API."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer from what was kept, or make the call and keep its answer."""
        request: Request[Any, Any, Any] = Request(scope, receive, send)
        key = request.headers.get("idempotency-key")
        if scope["type"] != "http" or request.method != "POST" or key is None:
            await self.app(scope, receive, send)
            return
        caller = await caller_of(request)
        _check(key)
        digest = _digest(request, await request.body())
        begun = await _begin(caller, key, digest)
        if isinstance(begun, _Begun):
            await self._call(scope, receive, send, caller, begun)
        else:
            await _again(begun, send)

    async def _call(
        self, scope: Scope, receive: Receive, send: Send, caller: ApiCaller, begun: _Begun
    ) -> None:
        answer = _Answer()
        try:
            await self.app(scope, receive, answer)
        finally:
            await _keep(caller, begun, answer, told_once_by(cast(Any, scope)["route_handler"]))
        for message in answer.messages:
            await send(message)


class _Answer:
    """Send, kept back until it is stored."""

    def __init__(self) -> None:
        self.messages: list[Message] = []

    async def __call__(self, message: Message) -> None:
        self.messages.append(message)

    @property
    def status(self) -> int:
        """The answer's status; 500 when there was none."""
        return next((m["status"] for m in self.messages if m["type"] == "http.response.start"), 500)

    def stored(self, secrets: tuple[str, ...]) -> dict[str, Any]:
        """The answer as a row keeps it: fields that are told once are null."""
        body = b"".join(m["body"] for m in self.messages if m["type"] == "http.response.body")
        if secrets:
            body = msgspec.json.encode(msgspec.json.decode(body) | dict.fromkeys(secrets))
        start = next(m for m in self.messages if m["type"] == "http.response.start")
        given = MutableScopeHeaders.from_message(start)
        return {
            "headers": {name: given[name] for name in _KEPT_HEADERS if name in given},
            "body": body.decode(),
        }


def _check(key: str) -> None:
    if not 1 <= len(key) <= 255 or not key.isprintable():
        raise Invalid([Problem("Idempotency-Key", "Give 1 to 255 printable characters, such as a UUID.")])


def _digest(request: Request, body: bytes) -> bytes:
    asked = f"{request.method} {request.scope['path']}?{request.scope['query_string'].decode('latin-1')}\n"
    return sha256(asked.encode() + body).digest()


async def _begin(caller: ApiCaller, key: str, digest: bytes) -> _Begun | Mapping[str, Any]:
    """A call to make, or the kept answer. Raises Conflict for another body, StillRunning."""
    async with caller.transaction() as tx:
        account = caller.account.id
        await tx.execute(_FORGET, account=account, hours=HOURS)
        began = await tx.value(_BEGIN, account=account, key=key, hash=digest, stale=STALE)
        if began is not None:
            return _Begun(key, began)
        known = await tx.row(_KNOWN, account=account, key=key)
    if known is None or (known.status is None and known.request_hash == digest):
        raise StillRunning("The first call with this Idempotency-Key is still running. Ask again soon.")
    if known.request_hash != digest:
        raise Conflict("This Idempotency-Key was used for another call. Use a new key for a new call.")
    return {"status": known.status, **known.answer}


async def _keep(caller: ApiCaller, begun: _Begun, answer: _Answer, secrets: tuple[str, ...]) -> None:
    """Keep it, and try again, on another connection, when the database cannot just then.

    What cannot be kept is told all the same: it was done, and an error would have it done again.
    """
    for left in reversed(range(TRIES)):
        try:
            await _end(caller, begun, answer, secrets)
            return
        except (Unavailable, DBAPIError) as error:
            if not left:
                log.warning("answer_not_kept", error=repr(error))
                return
        await asyncio.sleep(PAUSE)


async def _end(caller: ApiCaller, begun: _Begun, answer: _Answer, secrets: tuple[str, ...]) -> None:
    """Keep what was done; let go of the key when nothing was."""
    bound = {"account": caller.account.id, "key": begun.key, "began": begun.began}
    async with caller.transaction() as tx:
        if answer.status < 400:
            await tx.execute(_END, status=answer.status, answer=answer.stored(secrets), **bound)
        else:
            await tx.execute(_DROP, **bound)


async def _again(kept: Mapping[str, Any], send: Send) -> None:
    """The first answer once more."""
    body = kept["body"].encode()
    given = {**kept["headers"], "content-length": str(len(body)), "idempotency-replayed": "true"}
    headers = [(name.encode(), value.encode()) for name, value in given.items()]
    await send(cast(Message, {"type": "http.response.start", "status": kept["status"], "headers": headers}))
    await send(cast(Message, {"type": "http.response.body", "body": body, "more_body": False}))
