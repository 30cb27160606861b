"""A line to the database that goes silent: nothing is refused, nothing ends, nothing comes.

As with a failover, a firewall that forgot, or a server that stands still. Or that is cut just when an answer
comes by: what was asked is done, and nobody is told.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

#: How a commit is asked for, on the wire.
COMMIT = b"Q\0\0\0\x0bcommit\0"


class Line:
    """`url` leads to the database, by wires of which each can be silenced."""

    def __init__(self, url: str) -> None:
        self._told = urlsplit(url)
        self._wires: list[Wire] = []
        self._passing: list[asyncio.Task[None]] = []
        self._silent = False
        #: How many came in silence.
        self.left_alone = 0
        #: Who asks this next is cut off when the answer comes; None: nobody is, or somebody was.
        self.cut_at: bytes | None = None
        self.url = ""

    @asynccontextmanager
    async def open(self) -> AsyncIterator["Line"]:
        """While it is open; then every wire is cut."""
        server = await asyncio.start_server(self._come, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        self.url = self._told._replace(
            netloc=f"{self._told.username}:{self._told.password}@127.0.0.1:{port}"
        ).geturl()
        try:
            yield self
        finally:
            server.close()
            for wire in self._wires:
                wire.cut()
            await asyncio.gather(*self._passing)

    def silence(self, *, new: bool = True, answers_only: bool = False) -> None:
        """Whoever is connected hears nothing any more, nor is heard; who comes now is taken and left alone
        too, unless `new` is False. `answers_only`: what is asked still arrives."""
        self._silent = new
        for wire in self._wires:
            wire.deaf, wire.silent = not answers_only, True

    def mend(self) -> None:
        """Who comes now gets through. The old wires stay as they are."""
        self._silent = False

    async def _come(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        wire = Wire(writer, self)
        self._wires.append(wire)
        if self._silent:
            self.left_alone += 1
            return
        source, sink = await asyncio.open_connection(self._told.hostname, self._told.port)
        wire.sides.append(sink)
        for passing in (wire.carry(reader, sink, asks=True), wire.carry(source, writer, asks=False)):
            self._passing.append(asyncio.create_task(passing))


class Wire:
    """One connection through the line."""

    def __init__(self, writer: asyncio.StreamWriter, line: Line) -> None:
        self.sides = [writer]
        self.deaf = self.silent = self._doomed = False
        self._line = line

    async def carry(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, *, asks: bool) -> None:
        """Pass on what comes, also that it ended, unless nothing passes here."""
        try:
            while read := await source.read(65536):
                if asks and self._line.cut_at and self._line.cut_at in read:
                    self._doomed, self._line.cut_at = True, None
                elif self._doomed and not asks:
                    self.cut()
                    return
                if not (self.deaf if asks else self.silent):
                    sink.write(read)
        except ConnectionError:
            pass
        if not (self.deaf if asks else self.silent):
            sink.close()

    def cut(self) -> None:
        """The end of it."""
        for side in self.sides:
            side.transport.abort()
