"""One connection to an SMTP server, driven step by step.

aiosmtplib's own `send` raises the same error for a connection lost before the body and after the final dot
(seen), so the steps are taken here one at a time: up to the dot a loss is NotReached, after it Unknown.
"""

import asyncio
import re
import socket
import ssl
from base64 import b64encode
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass
from typing import Any

from aiosmtplib import SMTP, SMTPException, SMTPResponse, SMTPResponseException, SMTPServerDisconnected
from aiosmtplib.protocol import SMTPProtocol

from app.base.settings import SmtpServer
from app.mail.outcome import Misconfigured, NotReached, Outcome, Refused, Unknown
from app.mail.smtp_replies import END, Step, meaning, plain

_LOST = (OSError, TimeoutError, SMTPException)
_PIECE = 65536
#: Between body and dot: who drops the connection in the body is heard before the dot makes it a doubt.
_LISTEN = 0.05
_FAREWELL = 1.0
_LINE_END = re.compile(rb"\r\n|\r|\n")
_LEADING_DOT = re.compile(rb"(?m)^\.")

Wait = Callable[[], AbstractAsyncContextManager[Any]]


@dataclass(frozen=True)
class Envelope:
    """One mail on the wire: plain addresses, and the octets as DATA carries them, without the final dot."""

    sender: str
    recipient: str
    octets: bytes


def dotted(raw: bytes) -> bytes:
    """`raw` as DATA carries it (RFC 5321 4.5.2): CRLF alone ends a line, a dot that begins one is doubled."""
    lines = _LINE_END.sub(b"\r\n", raw)
    lines = lines if lines.endswith(b"\r\n") else lines + b"\r\n"
    return _LEADING_DOT.sub(b"..", lines)


class Connection:
    """From the greeting to the farewell; one mail at a time.

    `stale`: the last mail's first command found the connection gone, so that mail may have a fresh one.
    """

    def __init__(self, server: SmtpServer, name: str, tls: ssl.SSLContext) -> None:
        self.server = server
        self.stale = False
        self.mails = 0
        self.opened_at = self.used_at = asyncio.get_running_loop().time()
        self._step: Step = "greeting"
        self._smtp = SMTP(
            hostname=server.host,
            port=server.port,
            local_hostname=name,
            timeout=None,
            use_tls=server.security == "tls",
            start_tls=False,
            tls_context=tls,
        )

    @property
    def usable(self) -> bool:
        """Whether another mail may go this way."""
        return self._smtp.is_connected

    async def open(self, deadline: float) -> Outcome | None:
        """Connect, secure, log in; None when the server is ready for mail."""
        try:
            async with asyncio.timeout_at(deadline):
                return await self._introduce()
        except _LOST as error:
            return self._lost(error)
        finally:
            if self._step != "MAIL":
                self.abort()

    async def hand_over(self, envelope: Envelope, deadline: float, wait: Wait) -> Outcome:
        """The mail. Its final dot is written before `deadline` (loop clock) or not at all; `wait` bounds the
        time after it. When cancelled, the connection is cut at once, with whatever was not written yet."""
        self.stale, self.mails, self._step = False, self.mails + 1, "MAIL"
        answer: asyncio.Task[SMTPResponse] | None = None
        settled = False
        try:
            async with asyncio.timeout_at(deadline):
                if (refused := await self._envelope(envelope)) is not None:
                    settled = True
                    return refused
                answer = asyncio.create_task(self._protocol.read_response())
                await self._body(envelope.octets, answer)
            if answer.done():
                return self._meaning(answer.result())
            outcome = await self._end(answer, deadline, wait)
            settled = not isinstance(outcome, Unknown | NotReached)
            return outcome
        except _LOST as error:
            return self._lost(error)
        finally:
            self.used_at = asyncio.get_running_loop().time()
            if answer is not None and not answer.done():
                answer.cancel()
            elif answer is not None and not answer.cancelled():
                answer.exception()
            if not settled:
                self.abort()

    async def quit(self) -> None:
        """Say farewell, if that is quick, and hang up."""
        with suppress(*_LOST):
            async with asyncio.timeout(_FAREWELL):
                await self._smtp.quit()
        self.abort()

    def abort(self) -> None:
        """Hang up at once; what was not written yet is never written."""
        transport: Any = self._smtp.transport
        if transport is not None:
            transport.abort()
        self._smtp.close()

    @property
    def _protocol(self) -> SMTPProtocol:
        if self._smtp.protocol is None:
            raise SMTPServerDisconnected("Connection lost")
        return self._smtp.protocol

    async def _introduce(self) -> Outcome | None:
        await self._smtp.connect()
        self._step = "EHLO"
        await self._smtp.ehlo()
        if self.server.security == "starttls":
            self._step = "STARTTLS"
            if not self._smtp.supports_extension("starttls"):
                return Misconfigured(
                    f"{self._place} offers no STARTTLS, and mail must not go there in the clear"
                )
            await self._smtp.starttls()
            self._step = "EHLO"
            await self._smtp.ehlo()
        if self.server.user:
            self._step = "AUTH"
            if not self._smtp.supported_auth_methods:
                return Misconfigured(f"{self._place} offers no log-in that we know")
            await self._smtp.login(self.server.user, self.server.password)
        self._step = "MAIL"
        return None

    async def _envelope(self, envelope: Envelope) -> Outcome | None:
        """MAIL, RCPT, DATA; None when the server waits for the body."""
        if (too_big := self._too_big(len(envelope.octets))) is not None:
            return too_big
        steps: tuple[tuple[Step, list[bytes]], ...] = (
            ("MAIL", [f"FROM:<{envelope.sender}>".encode("ascii"), *self._size(len(envelope.octets))]),
            ("RCPT", [f"TO:<{envelope.recipient}>".encode("ascii")]),
            ("DATA", []),
        )
        for self._step, arguments in steps:
            reply = await self._smtp.execute_command(self._step.encode("ascii"), *arguments)
            if reply.code != 354 if self._step == "DATA" else reply.code not in (250, 251):
                refused = self._meaning(reply)
                self.stale = self._step == "MAIL" and reply.code == 421
                await self._reset()
                return refused
        return None

    async def _reset(self) -> None:
        """After a no the server is asked to forget the mail, so that the next one begins anew."""
        try:
            if self._smtp.is_connected:
                await self._smtp.rset()
        except _LOST:
            self.abort()

    async def _body(self, octets: bytes, answer: "asyncio.Task[SMTPResponse]") -> None:
        """All but the dot. Ends early when the server speaks or goes."""
        protocol = self._protocol
        transport: Any = self._smtp.transport
        await asyncio.sleep(0)  # the answer is listened for before anything can be answered
        for at in range(0, len(octets), _PIECE):
            protocol.write(octets[at : at + _PIECE])
            while transport.get_write_buffer_size() and not answer.done():
                await asyncio.wait({answer}, timeout=0.01)
        await asyncio.wait({answer}, timeout=_LISTEN)

    async def _end(self, answer: "asyncio.Task[SMTPResponse]", deadline: float, wait: Wait) -> Outcome:
        protocol = self._protocol
        # The time-out round the steps before says the same, but for a process frozen right here.
        if asyncio.get_running_loop().time() >= deadline:
            return NotReached("the time to make this call had passed before the mail was at its end")
        protocol.write(b".\r\n")
        self._step = END
        try:
            async with wait():
                reply = await answer
        except SMTPResponseException as error:
            return self._meaning(SMTPResponse(error.code, error.message))
        except TimeoutError:
            return Unknown(f"{self._place} had the whole mail and did not answer in time")
        except _LOST as error:
            return Unknown(
                f"{self._place} had the whole mail and was lost before it answered: {_told(error)}"
            )
        return self._meaning(reply)

    def _too_big(self, size: int) -> Outcome | None:
        most = self._smtp.esmtp_extensions.get("size", "").strip()
        if most.isdigit() and 0 < int(most) < size:
            return Refused(f"the mail has {size} octets; {self._place} takes at most {most}")
        return None

    def _size(self, size: int) -> list[bytes]:
        return [b"SIZE=%d" % size] if self._smtp.supports_extension("size") else []

    def _meaning(self, reply: SMTPResponse) -> Outcome:
        return meaning(self._step, reply.code, self._without_secrets(reply.message))

    def _lost(self, error: Exception) -> Outcome:
        """What it means that the conversation broke off before the dot."""
        if isinstance(error, SMTPResponseException):
            return self._meaning(SMTPResponse(error.code, error.message))
        self.stale = self._step == "MAIL"
        for cause in _causes(error):
            if isinstance(cause, ssl.SSLCertVerificationError):
                return Misconfigured(
                    f"the certificate of {self._place} is not to be trusted: {cause.verify_message}"
                )
            if isinstance(cause, ssl.SSLError):
                return Misconfigured(f"{self._place} does not speak TLS as asked: {cause.reason or cause}")
            if isinstance(cause, socket.gaierror):
                return NotReached(f"there is no mail server named {self.server.host} ({cause.strerror})")
            if isinstance(cause, ConnectionRefusedError):
                return NotReached(f"nobody listens at {self._place}")
        if isinstance(error, TimeoutError):
            return NotReached(f"{self._place} did not answer in time ({self._step})")
        return NotReached(f"{self._place} was lost at {self._step}: {self._without_secrets(_told(error))}")

    @property
    def _place(self) -> str:
        return f"the mail server {self.server.host}:{self.server.port}"

    def _without_secrets(self, text: str) -> str:
        """The server's words, should it repeat what we told it to let us in."""
        user, password = self.server.user, self.server.password
        if password:
            for secret in (f"\0{user}\0{password}", password):
                text = text.replace(b64encode(secret.encode()).decode().rstrip("="), "…").replace(secret, "…")
        return text


def _causes(error: BaseException | None) -> list[BaseException]:
    found: list[BaseException] = []
    while error is not None and error not in found:
        found.append(error)
        error = error.__cause__ or error.__context__
    return found


def _told(error: Exception) -> str:
    return plain(str(error)) or type(error).__name__
