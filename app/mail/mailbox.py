# pyright: reportMissingTypeStubs=false
"""The mailbox provider: a faithful witness for development and testing.

Its network is a schema of its own, reached by connections of its own. What it was handed is there as it was
handed over, doubles included: a call writes everything or nothing, never after `call_until`, and a lost
connection is Unknown exactly when the write may have been committed.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta
from functools import cache
from typing import Any, cast
from uuid import UUID

import asyncpg
from sqlalchemy.dialects.postgresql import asyncpg as dialect

from app.base import clock
from app.base.settings import settings
from app.base.statements import sql
from app.mail.faults import after_keeping, instead_of_keeping
from app.mail.message import Mail, to_bytes
from app.mail.outcome import Accepted, Misconfigured, NotReached, Outcome, Record, Refused, Split, Unknown

_CONNECT_TIMEOUT = 10.0
_FOR_EVER = 86_400.0

# The server never ran the statement, or ran and undid it: 57014 cancelled, 55P03 lock timeout. All other
# failures of its own (57: shut down, 58 and XX: broken) may come after the commit.
_UNDONE = ("57014", "55P03")
_SERVER_FAILED = ("08", "57", "58", "XX")
_LOST = (
    OSError,
    TimeoutError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    asyncpg.PostgresConnectionError,
)


class Mailbox:
    """Writes every mail into `mailbox.mail`. Connects at the first call, as `godwit_worker`."""

    name = "mailbox"
    batch_limit = 1000
    asked_at_once = True
    has_record = True
    patience = 0.0

    def __init__(self, worker_url: str, *, connections: int = 4) -> None:
        self._url = worker_url
        self._connections = connections
        self._pool: Any = None
        self._opening = asyncio.Lock()
        self._returning: set[asyncio.Task[None]] = set()

    async def deliver(
        self, mails: Sequence[Mail], *, batch_id: UUID, call_until: datetime, deadline: float | None = None
    ) -> Outcome:
        """See `Provider.deliver`. A slow fault waits half its time before the write and half after it."""
        if not 0 < len(mails) <= self.batch_limit:
            return Refused(f"a call takes 1 to {self.batch_limit} mails, not {len(mails)}")
        try:
            columns = _columns(mails)
        except ValueError as error:
            return Refused(str(error)) if len(mails) == 1 else Split(str(error))
        try:
            connection = await self._acquired()
        except (*_LOST, asyncpg.PostgresError) as error:
            return _before(error)
        try:
            faults = await self._faults(connection, columns["to_address"])
            if isinstance(faults, list):
                return await self._hand_over(connection, columns, batch_id, call_until, faults)
        finally:
            await _give_back(self._pool, connection)
        if isinstance(faults, Unknown):  # a call that hangs keeps nobody else from the connection
            await asyncio.sleep(_FOR_EVER)
        return faults

    async def look_up(self, batch_id: UUID, delivery_ids: Sequence[UUID], *, call_until: datetime) -> Record:
        """See `Provider.look_up`. Whole as soon as `call_until` has passed by the database's clock."""
        try:
            async with self._connection() as connection, connection.transaction():
                if await connection.fetchval(*_bound("is_down")):
                    return Record(whole=False, sent=frozenset())
                await connection.execute(*_bound("wait_for_batch", batch_id=batch_id))
                asked = _bound(
                    "look_up", batch_id=batch_id, call_until=call_until, delivery_ids=list(delivery_ids)
                )
                rows: list[Any] = await connection.fetch(*asked)
        except (*_LOST, asyncpg.PostgresError):
            return Record(whole=False, sent=frozenset())
        found = frozenset(row["delivery_id"] for row in rows if row["delivery_id"] is not None)
        return Record(whole=bool(rows[0]["whole"]), sent=found)

    async def probe(self) -> Outcome:
        """See `Provider.probe`."""
        try:
            async with self._connection() as connection:
                if await connection.fetchval(*_bound("is_down")):
                    return NotReached("the mailbox is down, as a test ordered")
        except (*_LOST, asyncpg.PostgresError) as error:
            return _before(error)
        return Accepted()

    def hurry(self, seconds: float) -> None:
        """Nothing here takes longer than a call may."""

    async def aclose(self) -> None:
        """See `Provider.aclose`."""
        await asyncio.gather(*self._returning)
        if self._pool is not None:
            await self._pool.close()
            self._pool = None

    async def _opened(self) -> Any:
        async with self._opening:
            if self._pool is None:
                self._pool = await cast(Any, asyncpg).create_pool(
                    self._url,
                    min_size=0,
                    max_size=self._connections,
                    timeout=_CONNECT_TIMEOUT,
                    server_settings={"role": "godwit_worker", "application_name": "godwit mailbox"},
                )
            return self._pool

    @asynccontextmanager
    async def _connection(self) -> AsyncGenerator[Any]:
        connection = await self._acquired()
        try:
            yield connection
        finally:
            await _give_back(self._pool, connection)

    async def _acquired(self) -> Any:
        """A connection, to be released. Opened to its end also when its call is cut, and kept for the next:
        one that is cut while it opens would leave an error behind that nobody reads."""
        pool = await self._opened()
        acquiring = asyncio.ensure_future(pool.acquire(timeout=_CONNECT_TIMEOUT))
        try:
            return await asyncio.shield(acquiring)
        except asyncio.CancelledError:
            returning = asyncio.create_task(_give_back_later(pool, acquiring))
            self._returning.add(returning)
            returning.add_done_callback(self._returning.discard)
            raise

    async def _faults(self, connection: Any, to: list[str]) -> list[Any] | Outcome:
        """The faults that fire at this call, or what the call comes to without any mail being kept.

        They are asked first on the connection of the call: one that died in the pool is found out here, while
        surely nothing has been written.
        """
        try:
            faults: list[Any] = await connection.fetch(*_bound("take_fault", to=to))
        except (*_LOST, asyncpg.PostgresError) as error:
            return _before(error)
        stops = (instead_of_keeping(fault["kind"] or "", fault["delay"]) for fault in faults)
        return next((outcome for outcome in stops if outcome is not None), faults)

    async def _hand_over(
        self,
        connection: Any,
        columns: dict[str, list[Any]],
        batch_id: UUID,
        call_until: datetime,
        faults: list[Any],
    ) -> Outcome:
        # A call is as old as its claim, which came before `deliver`: from there it may take its whole time.
        begun = call_until - timedelta(seconds=settings().sending.timeout)
        delay = float(sum(fault["delay"] for fault in faults))
        await asyncio.sleep(delay / 2)
        try:
            status: str = await connection.execute(
                *_bound("hand_over", batch_id=batch_id, call_until=call_until, begun=begun, **columns)
            )
        except (*_LOST, asyncpg.PostgresError) as error:
            return _during(error, len(columns["kind"]))
        if not status.endswith(f" {len(columns['kind'])}"):
            return NotReached("the time to make this call had passed before it was made")
        await asyncio.sleep(delay / 2)
        told = (after_keeping(fault["kind"] or "") for fault in faults)
        return next((outcome for outcome in told if outcome is not None), Accepted())


async def _give_back(pool: Any, connection: Any) -> None:
    """Whatever was told on a connection stands, also when it can only be thrown away afterwards."""
    with suppress(*_LOST, asyncpg.PostgresError):
        await pool.release(connection)


async def _give_back_later(pool: Any, acquiring: "asyncio.Future[Any]") -> None:
    with suppress(*_LOST, asyncpg.PostgresError):
        await _give_back(pool, await acquiring)


def _columns(mails: Sequence[Mail]) -> dict[str, list[Any]]:
    """A list for each column of `mailbox.mail`. Raises ValueError for a mail that cannot be written out."""
    return {
        "delivery_id": [mail.delivery_id for mail in mails],
        "account_id": [mail.account_id for mail in mails],
        "kind": [mail.kind for mail in mails],
        "to_address": [mail.to for mail in mails],
        "sender": [mail.sender for mail in mails],
        "subject": [mail.subject for mail in mails],
        "text": [mail.text for mail in mails],
        "html": [mail.html for mail in mails],
        "headers": [json.dumps(_headers(mail), ensure_ascii=False) for mail in mails],
        "raw": [to_bytes(mail, mail.date or clock.now()) for mail in mails],
    }


def _headers(mail: Mail) -> list[tuple[str, str]]:
    """The headers as people read them, in order; `raw` has them as they are written."""
    to = f"{mail.to_name} <{mail.to}>" if mail.to_name else mail.to
    reply_to = [("Reply-To", mail.reply_to)] if mail.reply_to else []
    named = [("From", mail.sender), ("To", to), *reply_to, ("Subject", mail.subject)]
    return [*named, ("Message-ID", mail.message_id), *mail.headers]


def _bound(name: str, **binds: Any) -> list[Any]:
    """The statement in `sql/` and its values as asyncpg takes them, by position."""
    statement, order = _compiled(name)
    return [statement, *(binds[bind] for bind in order)]


@cache
def _compiled(name: str) -> tuple[str, tuple[str, ...]]:
    compiled = sql(__package__, name).compile(dialect=cast(Any, dialect).dialect())
    return str(compiled), tuple(compiled.positiontup or ())


def _before(error: Exception) -> Outcome:
    """What a failure means while nothing can have been written."""
    if isinstance(error, asyncpg.InvalidAuthorizationSpecificationError | asyncpg.InsufficientPrivilegeError):
        return Misconfigured(f"the mailbox refuses us: {error}")
    if isinstance(error, asyncpg.UndefinedTableError | asyncpg.InvalidSchemaNameError):
        return Misconfigured("the mailbox has no tables: run `godwit migrate` outside production")
    return NotReached(f"the mailbox could not be reached: {_told(error)}")


def _during(error: Exception, mails: int) -> Outcome:
    """What a failure of the write itself means."""
    if not isinstance(error, asyncpg.PostgresError) or isinstance(error, asyncpg.PostgresConnectionError):
        return Unknown(f"the connection to the mailbox was lost in the call: {_told(error)}")
    state = str(getattr(error, "sqlstate", None) or "XX000")
    if state in _UNDONE:
        return NotReached(f"the mailbox gave up the call: {error}")
    if state.startswith(_SERVER_FAILED):
        return Unknown(f"the mailbox failed in the call: {error}")
    if state.startswith(("22", "23")):
        return Refused(f"the mailbox does not take it: {error}") if mails == 1 else Split(str(error))
    return _before(error)


def _told(error: Exception) -> str:
    return str(error) or type(error).__name__
