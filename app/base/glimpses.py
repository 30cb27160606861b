# pyright: reportMissingTypeStubs=false
"""Glimpses: reading a public page's rows straight on the driver.

A page that nobody has asked for before costs one short read-only transaction: begin and account in one round
trip, the question, the end. The way through SQLAlchemy takes three times as long (measured), and nothing of
what it does more is needed to read. Policies, roles and time limits are those of every connection (T1).
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg

from app.base.database import Database, Statement, Tx, inside
from app.base.driver import bound, opened, refuse_other
from app.base.errors import Unavailable

_LONGEST_WAIT = 10
MOST = 4
"""Connections that only read, beside those of the pool."""
_AWAY = (OSError, asyncpg.InterfaceError, asyncpg.PostgresConnectionError, asyncpg.OperatorInterventionError)
_BUSY = (asyncpg.QueryCanceledError, asyncpg.LockNotAvailableError, asyncpg.InsufficientResourcesError)


class Glimpse(Tx):
    """An open transaction that only reads. Its rows answer like those of any other."""

    def __init__(self, connection: Any, account_id: int) -> None:
        self._connection = connection
        self.account_id = account_id

    async def rows(self, statement: Statement, /, **binds: object) -> list[Any]:
        """Every row the statement answers."""
        words, values = bound(statement, binds)
        return await self._connection.fetch(words, *values)

    async def row(self, statement: Statement, /, **binds: object) -> Any:
        """The first row, or None."""
        words, values = bound(statement, binds)
        return await self._connection.fetchrow(words, *values)

    async def value(self, statement: Statement, /, **binds: object) -> Any:
        """The first column of the first row, or None."""
        words, values = bound(statement, binds)
        return await self._connection.fetchval(words, *values)


class Glimpses:
    """A few connections of a role, each opened when it is first wanted."""

    def __init__(self, url: str, role: str, most: int) -> None:
        self._url = url
        self._role = role
        self._most = most
        self._loop: asyncio.AbstractEventLoop | None = None
        self._places = asyncio.Semaphore(most)
        self._idle: list[Any] = []

    @classmethod
    def beside(cls, database: Database) -> "Glimpses":
        """Connections of the same role to the same database."""
        return cls(database.url, database.role, MOST)

    @asynccontextmanager
    async def look(self, account_id: int) -> AsyncGenerator[Glimpse]:
        """Read as the account. Raises Unavailable when the database is away, or everybody looks at once."""
        self._at_home()
        await self._wait_for_place()
        connection: Any = None
        try:
            with inside():
                connection = await self._begun(account_id)
                yield Glimpse(connection, account_id)
                await connection.execute("commit")
        except BaseException as error:
            kept = connection
            connection = None
            if kept is not None and await _ended_well(kept, error):
                connection = kept
            if isinstance(error, (*_AWAY, *_BUSY)):
                raise Unavailable("The database did not answer in time. Try again in a moment.") from error
            raise
        finally:
            if connection is not None:
                self._idle.append(connection)
            self._places.release()

    async def close(self) -> None:
        """Close every connection that nobody uses."""
        self._at_home()
        while self._idle:
            self._idle.pop().terminate()

    def _at_home(self) -> None:
        """Connections belong to the loop they were opened in."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop, self._places, self._idle = loop, asyncio.Semaphore(self._most), []

    async def _wait_for_place(self) -> None:
        if not self._places.locked():
            await self._places.acquire()
            return
        try:
            async with asyncio.timeout(_LONGEST_WAIT):
                await self._places.acquire()
        except TimeoutError as error:
            raise Unavailable("Very many people are here at once. Try again in a moment.") from error

    async def _begun(self, account_id: int) -> Any:
        begin = f"begin read only; select set_config('godwit.account_id', '{int(account_id)}', true)"
        while self._idle:
            connection = self._idle.pop()
            try:
                await connection.execute(begin)
                return connection
            except _AWAY:  # it ended while it lay idle
                connection.terminate()
            except BaseException:
                connection.terminate()
                raise
        connection = await opened(self._url, self._role)
        try:
            await refuse_other(connection, self._role)
            await connection.execute(begin)
        except BaseException:
            connection.terminate()
            raise
        return connection


async def _ended_well(connection: Any, error: BaseException) -> bool:
    """Roll back; False when the connection must not be used again: it is gone by then."""
    if isinstance(error, Exception) and not connection.is_closed():
        try:
            await connection.execute("rollback")
            return True
        except (*_AWAY, asyncpg.PostgresError):
            pass
    connection.terminate()
    return False
