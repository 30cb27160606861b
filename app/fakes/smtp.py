"""A small real SMTP server on loopback that keeps what it takes, and fails as it was told."""

import asyncio
import ssl
from base64 import b64decode
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from app.fakes.faults import Fault

_LONGEST_LINE = 16 * 1024 * 1024
_SHORTENED = {"plain": "smtp", "starttls": "smtp+starttls", "tls": "smtps"}


@dataclass(frozen=True)
class KeptMail:
    """One mail as it came, dots undone. `answered`: whether its sender was told that it was taken."""

    sender: str
    recipient: str
    raw: bytes
    answered: bool


class FakeSmtp:
    """Start it, order faults, look at what it kept. Without `users` everybody may send."""

    def __init__(
        self,
        *,
        port: int = 0,
        security: Literal["plain", "starttls", "tls"] = "plain",
        tls: ssl.SSLContext | None = None,
        users: dict[str, str] | None = None,
        size: int | None = None,
        close_after: int | None = None,
        seen: Callable[[KeptMail], None] = lambda mail: None,
    ) -> None:
        self.port, self.security, self.tls = port, security, tls
        self.users, self.size, self.close_after = users or {}, size, close_after
        self.kept: list[KeptMail] = []
        self.faults: list[Fault] = []
        self.verbs: list[str] = []
        self.connections = self.open = self.most_at_once = 0
        self._seen = seen
        self._server: asyncio.Server | None = None
        self._sessions: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        """Where it is, as GODWIT_SMTP_URL has it, without a log-in."""
        return f"{_SHORTENED[self.security]}://127.0.0.1:{self.port}"

    async def start(self) -> None:
        """Listen; `port` says where."""
        self._server = await asyncio.start_server(
            self._talk,
            "127.0.0.1",
            self.port,
            ssl=self.tls if self.security == "tls" else None,
            limit=_LONGEST_LINE,
        )
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Hang up on everybody."""
        if self._server is not None:
            self._server.close()
        for session in self._sessions:
            session.cancel()
        await asyncio.gather(*self._sessions, return_exceptions=True)

    def order(self, *faults: Fault) -> None:
        """Let these go wrong from now on."""
        self.faults += faults

    def fault_at(self, step: str, recipient: str = "") -> Fault | None:
        """The first fault that fires here, counted."""
        return next((fault for fault in self.faults if fault.fires(step, recipient)), None)

    def keep(self, mail: KeptMail) -> None:
        """It is delivered now, whatever becomes of the answer."""
        self.kept.append(mail)
        self._seen(mail)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._sessions.add(task)
        self.connections += 1
        self.open += 1
        self.most_at_once = max(self.most_at_once, self.open)
        try:
            with suppress(
                OSError, ssl.SSLError, asyncio.IncompleteReadError, asyncio.CancelledError, _HungUp
            ):
                await _Session(self, reader, writer).run()
        finally:
            self.open -= 1
            self._sessions.discard(task)
            writer.transport.abort()


class _HungUp(Exception):
    pass


class _Session:
    def __init__(self, fake: FakeSmtp, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._fake, self._reader, self._writer = fake, reader, writer
        self._secure = fake.security == "tls"
        self._user: str | None = None
        self._sender = self._recipient = ""
        self._taken = 0

    async def run(self) -> None:
        """From the greeting until somebody hangs up."""
        await self._answer("greeting", "220 fake.localhost ESMTP")
        while line := await self._reader.readline():
            verb, _, rest = line.decode("utf-8", "replace").strip().partition(" ")
            self._fake.verbs.append(verb.upper())
            match verb.upper():
                case "EHLO" | "HELO":
                    await self._answer("EHLO", self._offers())
                case "STARTTLS":
                    await self._secure_it()
                case "AUTH":
                    await self._log_in(rest)
                case "MAIL":
                    await self._from(rest)
                case "RCPT":
                    self._recipient = _address(rest)
                    await self._answer("RCPT", "250 2.1.5 Ok", self._recipient)
                case "DATA":
                    await self._data()
                case "RSET" | "NOOP":
                    self._sender = self._recipient = ""
                    await self._say("250 2.0.0 Ok")
                case "QUIT":
                    await self._say("221 2.0.0 Bye")
                    return
                case _:
                    await self._say("502 5.5.1 Not here")

    def _offers(self) -> str:
        offers = ["fake.localhost", "8BITMIME", f"SIZE {self._fake.size}" if self._fake.size else "HELP"]
        if self._fake.security == "starttls" and not self._secure:
            offers.append("STARTTLS")
        elif self._fake.users:
            offers.append("AUTH PLAIN LOGIN")
        return "\r\n".join([f"250-{offer}" for offer in offers[:-1]] + [f"250 {offers[-1]}"])

    async def _secure_it(self) -> None:
        if self._fake.tls is None:
            await self._say("502 5.5.1 Not here")
            return
        if await self._answer("STARTTLS", "220 2.0.0 Go on"):
            await self._writer.start_tls(self._fake.tls)
            self._secure = True

    async def _log_in(self, rest: str) -> None:
        method, _, first = rest.partition(" ")
        if method.upper() == "PLAIN":
            given = first or await self._asked("334 ")
            who = b64decode(given).decode("utf-8", "replace").removeprefix("\0")
            user, _, password = who.partition("\0")
        else:
            user = b64decode(first or await self._asked("334 VXNlcm5hbWU6")).decode("utf-8", "replace")
            password = b64decode(await self._asked("334 UGFzc3dvcmQ6")).decode("utf-8", "replace")
        if self._fake.users.get(user) != password:
            await self._say("535 5.7.8 Authentication credentials invalid")
        elif await self._answer("AUTH", "235 2.7.0 Welcome"):
            self._user = user

    async def _from(self, rest: str) -> None:
        if self._fake.users and self._user is None:
            await self._say("530 5.7.0 Authentication required")
        elif await self._answer("MAIL", "250 2.1.0 Ok"):
            self._sender, self._recipient = _address(rest), ""

    async def _data(self) -> None:
        if not self._recipient:
            await self._say("503 5.5.1 No recipient")
            return
        if not await self._answer("DATA", "354 Go on", self._recipient):
            return
        if (fault := self._fake.fault_at("body", self._recipient)) is not None:
            await self._reader.readline()
            await self._suffer(fault)
        body = await self._body()
        if (fault := self._fake.fault_at("end", self._recipient)) is not None:
            if fault.kept:
                self._fake.keep(KeptMail(self._sender, self._recipient, body, answered=False))
            if not await self._suffer(fault):
                return
        if fault is None or not fault.kept:
            self._fake.keep(KeptMail(self._sender, self._recipient, body, answered=True))
        self._sender = self._recipient = ""
        self._taken += 1
        await self._say("250 2.0.0 Ok: queued")
        if self._fake.close_after and self._taken >= self._fake.close_after:
            raise _HungUp

    async def _body(self) -> bytes:
        lines: list[bytes] = []
        while (line := await self._reader.readline()) != b".\r\n":
            if not line.endswith(b"\n"):
                raise _HungUp  # no dot, no mail
            lines.append(line[1:] if line.startswith(b".") else line)
        return b"".join(lines)

    async def _answer(self, step: str, text: str, recipient: str = "") -> bool:
        """Say `text`, unless a fault is due; whether it was said."""
        fault = self._fake.fault_at(step, recipient)
        if fault is not None and not await self._suffer(fault):
            return False
        await self._say(text)
        return True

    async def _suffer(self, fault: Fault) -> bool:
        """Whether things go on as if nothing had been."""
        match fault.act:
            case "drop":
                raise _HungUp
            case "stall":
                await self._reader.read()
                raise _HungUp
            case "slow":
                await asyncio.sleep(fault.delay)
                return True
            case "say":
                await self._say(fault.text)
                if fault.text.startswith("421"):
                    raise _HungUp
                return False

    async def _say(self, text: str) -> None:
        self._writer.write(text.encode() + b"\r\n")
        await self._writer.drain()

    async def _asked(self, text: str) -> str:
        await self._say(text)
        return (await self._reader.readline()).decode("ascii", "replace").strip()


def _address(rest: str) -> str:
    return rest.partition("<")[2].rpartition(">")[0]
