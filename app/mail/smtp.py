"""The SMTP provider: a server that takes one mail a call, over connections that are kept.

It has no record: what was lost after the final dot is unknown until a person says what became of it.
"""

import asyncio
import ssl
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from functools import cached_property
from uuid import UUID

from app.base import clock
from app.base.database import in_transaction
from app.base.settings import SmtpServer
from app.mail.message import Mail, split_sender, to_bytes
from app.mail.outcome import Accepted, Outcome, Record, Refused, Split
from app.mail.smtp_connection import Connection, Envelope, dotted

#: Kept at most, idle; each for so many mails, and for so long (s) since it was opened and last used.
KEPT, MAILS, AGE, IDLE = 8, 100, 300.0, 60.0
#: Seconds before the deadline by which the dot is written: what is cut off by its caller had no dot yet.
_MARGIN = 0.25


class Smtp:
    """Hands mail to one server. As many connections at once as there are calls at once."""

    name = "smtp"
    batch_limit = 1
    asked_at_once = False
    has_record = False

    def __init__(
        self,
        server: SmtpServer,
        *,
        ehlo: str = "localhost",
        timeout: float = 30.0,
        dot_timeout: float = 600.0,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._server = server
        self._ehlo = ehlo
        self._timeout = timeout
        self._given_tls = tls
        self._kept: list[Connection] = []
        self._leaving: set[asyncio.Task[None]] = set()
        self._waits: set[asyncio.Timeout] = set()
        self._hurried: float | None = None
        self.patience = dot_timeout

    async def deliver(
        self, mails: Sequence[Mail], *, batch_id: UUID, call_until: datetime, deadline: float | None = None
    ) -> Outcome:
        """See `Provider.deliver`. The final dot is written before `deadline`; its answer may come later."""
        self._refuse_transaction()
        if len(mails) != 1:
            reason = f"SMTP takes one mail a call, not {len(mails)}"
            return Split(reason) if mails else Refused(reason)
        mail = mails[0]
        try:
            raw = to_bytes(mail, mail.date or clock.now())
        except ValueError as error:
            return Refused(str(error))
        envelope = Envelope(split_sender(mail.sender)[1], mail.to, dotted(raw))
        now = asyncio.get_running_loop().time()
        return await self._hand_over(
            envelope, (now + self._timeout if deadline is None else deadline) - _MARGIN
        )

    async def look_up(self, batch_id: UUID, delivery_ids: Sequence[UUID], *, call_until: datetime) -> Record:
        """See `Provider.look_up`. SMTP has no record: never whole, and a person decides."""
        return Record(whole=False, sent=frozenset())

    async def probe(self) -> Outcome:
        """See `Provider.probe`: greeting, TLS and log-in on a connection of its own."""
        self._refuse_transaction()
        connection = self._new()
        said = await connection.open(asyncio.get_running_loop().time() + self._timeout)
        await connection.quit()
        return Accepted() if said is None else said

    def hurry(self, seconds: float) -> None:
        """See `Provider.hurry`: from here on nobody waits longer than that for the answer to a dot."""
        self._hurried = asyncio.get_running_loop().time() + seconds
        for wait in self._waits:
            until = wait.when()
            if until is not None and until > self._hurried and not wait.expired():
                wait.reschedule(self._hurried)

    async def aclose(self) -> None:
        """Say farewell on every connection that was kept."""
        kept, self._kept = self._kept, []
        await asyncio.gather(*(connection.quit() for connection in kept), *self._leaving)

    async def _hand_over(self, envelope: Envelope, deadline: float) -> Outcome:
        # No NOOP before a kept connection is used: MAIL finds out as well, and nothing is lost by asking
        # again on a fresh one.
        if (kept := self._take()) is not None:
            outcome = await kept.hand_over(envelope, deadline, self._after_the_dot)
            if not kept.stale:
                return self._done(kept, outcome)
            kept.abort()
        fresh = self._new()
        if (said := await fresh.open(deadline)) is not None:
            return said
        return self._done(fresh, await fresh.hand_over(envelope, deadline, self._after_the_dot))

    def _done(self, connection: Connection, outcome: Outcome) -> Outcome:
        """Keep the connection for the next mail, if it can take one; no outcome waits for a farewell."""
        if connection.usable and connection.mails < MAILS and len(self._kept) < KEPT:
            self._kept.append(connection)
        elif connection.usable:
            leaving = asyncio.create_task(connection.quit())
            self._leaving.add(leaving)
            leaving.add_done_callback(self._leaving.discard)
        return outcome

    def _take(self) -> Connection | None:
        """The connection used last, of those that are still good; the others are hung up."""
        now = asyncio.get_running_loop().time()
        while self._kept:
            connection = self._kept.pop()
            if connection.usable and now - connection.opened_at < AGE and now - connection.used_at < IDLE:
                return connection
            connection.abort()
        return None

    def _new(self) -> Connection:
        return Connection(self._server, self._ehlo, self._tls)

    @asynccontextmanager
    async def _after_the_dot(self) -> AsyncGenerator[None]:
        until = asyncio.get_running_loop().time() + self.patience
        async with asyncio.timeout_at(min(until, self._hurried or until)) as wait:
            self._waits.add(wait)
            try:
                yield
            finally:
                self._waits.discard(wait)

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        return self._given_tls or ssl.create_default_context()

    def _refuse_transaction(self) -> None:
        if in_transaction():
            raise RuntimeError("no mail is handed over while a transaction is open")
