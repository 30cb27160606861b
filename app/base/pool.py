# pyright: reportMissingTypeStubs=false
"""Connections of a role that wait for their next transaction, each opened when it is first wanted."""

import asyncio
from typing import Any

import asyncpg

from app.base.driver import GONE, LONGEST_STATEMENT, opened


class Busy(Exception):
    """Every connection was in use for longer than anybody waits."""


class Pool:
    """At most `most` connections at once. With `kept` False none waits for another transaction."""

    def __init__(self, url: str, role: str, most: int, *, kept: bool = True) -> None:
        self.most = most
        #: Seconds until a connection is there, or Busy.
        self.longest_wait = 10.0
        #: Seconds in which one that lay idle begins, or rolls back: neither waits for a lock.
        self.longest_begin = 3.0
        #: Seconds in which a new one is open and begins.
        self.longest_opening = 7.0
        #: Seconds in which a statement is answered.
        self.longest_statement = LONGEST_STATEMENT
        self._url = url
        self._role = role
        self._kept = kept
        self._loop: asyncio.AbstractEventLoop | None = None
        self._places = asyncio.Semaphore(most)
        self._idle: list[Any] = []
        self._lasting = set[Any]()  # those that wait for another transaction after this one

    async def acquire(self, begin: str) -> Any:
        """A connection on which `begin` was run. Raises what the driver does, or Busy after a while.

        One that ended while it lay idle is passed over: nothing was asked of it yet. One that says nothing is
        too, and all that lie idle with it: whatever came between it and the server did so to them.
        """
        self._at_home()
        await self._place()
        try:
            return await self._begun(begin)
        except BaseException:
            self._leave()
            raise

    async def _begun(self, begin: str) -> Any:
        while self._idle:
            connection = self._idle.pop()
            try:
                await connection.execute(begin, timeout=self.longest_begin)
                return connection
            except TimeoutError:
                self._end(connection)
                self._end_idle()
            except GONE:
                self._end(connection)
            except BaseException:
                self._end(connection)
                raise
        async with asyncio.timeout(self.longest_opening):
            connection = await opened(self._url, self._role, self.longest_statement)
            try:
                await connection.execute(begin)
            except BaseException:
                connection.terminate()
                raise
        if self._kept:
            self._lasting.add(connection)
        return connection

    def renew(self) -> None:
        """Let nobody have a connection again that is open now."""
        self._lasting.clear()
        self._end_idle()

    def _end_idle(self) -> None:
        while self._idle:
            self._end(self._idle.pop())

    def _end(self, connection: Any) -> None:
        self._lasting.discard(connection)
        connection.terminate()

    async def release(self, connection: Any, *, clean: bool) -> None:
        """Take a connection back; one that is not `clean` (its transaction did not end well) is ended."""
        try:
            if clean and connection in self._lasting and not connection.is_closed():
                self._idle.append(connection)
            else:  # whoever was cancelled may be so again: the end is not
                self._lasting.discard(connection)
                await asyncio.shield(asyncio.ensure_future(_ended(connection)))
        finally:
            self._leave()

    async def close(self) -> None:
        """End every connection that nobody uses."""
        self._at_home()
        while self._idle:
            connection = self._idle.pop()
            self._lasting.discard(connection)
            await _ended(connection)

    def _at_home(self) -> None:
        """Connections belong to the loop they were opened in."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop, self._places, self._idle = loop, asyncio.Semaphore(self.most), []
            self._lasting.clear()

    async def _place(self) -> None:
        if not self._places.locked():
            await self._places.acquire()
            return
        try:
            async with asyncio.timeout(self.longest_wait):
                await self._places.acquire()
        except TimeoutError as error:
            raise Busy from error

    def _leave(self) -> None:
        self._places.release()


async def _ended(connection: Any) -> None:
    """Say goodbye, after what was cancelled on it has come to its end at the server; without waiting long."""
    try:
        await connection.close(timeout=2)
    except (*GONE, TimeoutError, asyncpg.PostgresError):
        connection.terminate()
