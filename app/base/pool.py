# pyright: reportMissingTypeStubs=false
"""Connections of a role that wait for their next transaction, each opened when it is first wanted."""

import asyncio
from typing import Any

import asyncpg

from app.base.driver import GONE, opened


class Busy(Exception):
    """Every connection was in use for longer than anybody waits."""


class Pool:
    """At most `most` connections at once. With `kept` False none waits for another transaction."""

    def __init__(self, url: str, role: str, most: int, *, kept: bool = True) -> None:
        self.most = most
        #: Seconds until a connection is there, or Busy.
        self.longest_wait = 10.0
        self._url = url
        self._role = role
        self._kept = kept
        self._loop: asyncio.AbstractEventLoop | None = None
        self._places = asyncio.Semaphore(most)
        self._idle: list[Any] = []

    async def acquire(self, begin: str) -> Any:
        """A connection on which `begin` was run. Raises what the driver does, or Busy after a while.

        One that ended while it lay idle is passed over: nothing was asked of it yet.
        """
        self._at_home()
        await self._place()
        try:
            while self._idle:
                connection = self._idle.pop()
                try:
                    await connection.execute(begin)
                    return connection
                except GONE:
                    connection.terminate()
                except BaseException:
                    connection.terminate()
                    raise
            connection = await opened(self._url, self._role)
            try:
                await connection.execute(begin)
            except BaseException:
                connection.terminate()
                raise
        except BaseException:
            self._leave()
            raise
        return connection

    async def release(self, connection: Any, *, clean: bool) -> None:
        """Take a connection back; one that is not `clean` (its transaction did not end well) is ended."""
        try:
            if clean and self._kept and not connection.is_closed():
                self._idle.append(connection)
            else:  # whoever was cancelled may be so again: the end is not
                await asyncio.shield(asyncio.ensure_future(_ended(connection)))
        finally:
            self._leave()

    async def close(self) -> None:
        """End every connection that nobody uses."""
        self._at_home()
        while self._idle:
            await _ended(self._idle.pop())

    def _at_home(self) -> None:
        """Connections belong to the loop they were opened in."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop, self._places, self._idle = loop, asyncio.Semaphore(self.most), []

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
