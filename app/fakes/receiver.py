"""A small real HTTP server on loopback that is called by webhooks, and answers as it was told."""

import asyncio
import socket
import ssl
import struct
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, cast

import h11

#: `whole`: an answer as it should be. `cut`: the connection breaks in the middle of it. `drop`: it is closed
#: without a word. `reset`: it is reset, as by a machine that is going down. `hang`: nothing, until the caller
#: leaves.
Ending = Literal["whole", "cut", "drop", "reset", "hang"]
#: Octets of a body that are read, and of one read from the connection.
LONGEST, _CHUNK = 16 * 1024 * 1024, 64 * 1024
_HALF = b'{"taken":'


@dataclass(frozen=True)
class Call:
    """One request as it came; the names of headers in lower case."""

    method: str
    path: str
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def header(self, name: str) -> str:
        """The first header of that name, '' without one."""
        return next((value for known, value in self.headers if known == name.lower()), "")


@dataclass(frozen=True)
class Reply:
    """What is answered, after `delay` seconds."""

    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    delay: float = 0.0
    ending: Ending = "whole"


Meet = Callable[[Call], Awaitable[Reply]]


class Script:
    """Answers in this order, the last for ever; `calls` are those that came. `replies` go before them."""

    def __init__(self, answers: Sequence[int] = (200,), delay: float = 0.0) -> None:
        self.calls: list[Call] = []
        self.replies: list[Reply] = []
        self._answers = list(answers)
        self._delay = delay

    async def __call__(self, call: Call) -> Reply:
        """What this one gets."""
        self.calls.append(call)
        if self.replies:
            return self.replies.pop(0)
        status = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        return Reply(status, delay=self._delay)


class FakeReceiver:
    """Asks `meet` what to answer to each request, whatever its path; under TLS when it has `tls`."""

    def __init__(self, meet: Meet, *, port: int = 0, tls: ssl.SSLContext | None = None) -> None:
        self.port = port
        self._meet, self._tls = meet, tls
        self._server: asyncio.Server | None = None
        self._talks: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        """Where it is."""
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}"

    async def start(self) -> None:
        """Listen; `port` says where. Raises OSError when nobody can."""
        self._server = await asyncio.start_server(self._talk, "127.0.0.1", self.port, ssl=self._tls)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Hang up on everybody."""
        if self._server is not None:
            self._server.close()
        for talk in self._talks:
            talk.cancel()
        await asyncio.gather(*self._talks, return_exceptions=True)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._talks.add(task)
        try:
            with suppress(OSError, asyncio.CancelledError, h11.ProtocolError):
                await _Talk(self._meet, reader, writer).run()
        finally:
            self._talks.discard(task)
            writer.close()


class _Talk:
    """One connection, from its first request to its last."""

    def __init__(self, meet: Meet, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._meet, self._reader, self._writer = meet, reader, writer
        self._http = h11.Connection(h11.SERVER)

    async def run(self) -> None:
        while (call := await self._call()) is not None:
            reply = await self._meet(call)
            await asyncio.sleep(reply.delay)
            if reply.ending != "whole":
                await self._break_off(reply)
                return
            await self._say(reply)
            if self._http.our_state is not h11.DONE or self._http.their_state is not h11.DONE:
                return
            self._http.start_next_cycle()

    async def _call(self) -> Call | None:
        head: h11.Request | None = None
        body = bytearray()
        while True:
            match await self._event():
                case h11.Request() as request:
                    head = request
                case h11.Data(data=data):
                    body += data
                    if len(body) > LONGEST:
                        return None
                case h11.EndOfMessage() if head is not None:
                    headers = tuple((_text(name), _text(value)) for name, value in head.headers)
                    return Call(_text(head.method), _text(head.target), headers, bytes(body))
                case _:
                    return None

    async def _event(self) -> object:
        while (event := self._http.next_event()) is h11.NEED_DATA:
            if self._http.they_are_waiting_for_100_continue:
                self._write(h11.InformationalResponse(status_code=100, headers=[]))
            self._http.receive_data(await self._reader.read(_CHUNK))
        return event

    async def _say(self, reply: Reply) -> None:
        self._head(reply, len(reply.body))
        self._write(h11.Data(data=reply.body))
        self._write(h11.EndOfMessage())
        await self._writer.drain()

    async def _break_off(self, reply: Reply) -> None:
        match reply.ending:
            case "hang":
                while await self._reader.read(_CHUNK):
                    pass
            case "cut":
                self._head(reply, 2 * len(_HALF))
                self._write(h11.Data(data=_HALF))
                await self._writer.drain()
            case "reset":
                lingering = cast(socket.socket, self._writer.get_extra_info("socket"))
                lingering.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            case _:
                pass
        self._writer.transport.abort() if reply.ending == "reset" else self._writer.close()

    def _head(self, reply: Reply, length: int) -> None:
        self._write(
            h11.Response(status_code=reply.status, headers=[*reply.headers, ("Content-Length", str(length))])
        )

    def _write(self, event: h11.Event) -> None:
        self._writer.write(self._http.send(event) or b"")


def _text(octets: bytes) -> str:
    return octets.decode("latin-1")
