# pyright: reportMissingTypeStubs=false
"""The database: the only module that opens, commits and rolls back.

A transaction runs under one role and for one account, or for none. The account is what every policy compares
with (T1), and the role is asserted: both in the round trip that begins it, so that a pool wired to the wrong
log-in stops at once instead of reading more than it may.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any, Literal

import asyncpg
from sqlalchemy.exc import DBAPIError

from app.base.driver import GONE, Statement, in_words
from app.base.errors import Unavailable
from app.base.pool import Busy, Pool
from app.base.settings import DatabaseSettings, settings
from app.base.transaction import Tx

__all__ = ["Database", "Role", "Statement", "Tx", "in_transaction", "in_words", "moves"]

Role = Literal["web", "worker", "operator"]

#: SQLSTATE class of a log-in that the server refuses: a wrong user or password, or pg_hba.conf.
_LOG_IN_REFUSED = "28"
_open = ContextVar("open_transaction", default=False)
_UNBOUNDED = 10_000
_GONE_IN_THE_MIDDLE = "The database went away in the middle of this. Try again in a moment."

#: How many transactions of this process were committed in an account, of those that may have written.
_moves: dict[int, int] = {}
_CLOSED = -1  # no account; counts pools that were closed: what is behind the next one may be anything


def in_transaction() -> bool:
    """Whether a transaction is open in this task: then nobody may talk to the outside."""
    return _open.get()


def moves(account_id: int) -> int:
    """A number that is another one once this process committed something in the account, or may have."""
    return _moves.get(account_id, 0) + _moves.get(_CLOSED, 0)


def _moved(account_id: int | None) -> None:
    if account_id is not None:
        _moves[account_id] = _moves.get(account_id, 0) + 1


class Database:
    """A pool of connections under one role."""

    def __init__(self, url: str, role: str, pool: int = 5, *, pooled: bool = True) -> None:
        self.url = url
        self.role = role
        self.pool = Pool(url, role, pool if pooled else _UNBOUNDED, kept=pooled)

    @classmethod
    def for_role(cls, role: Role, *, pooled: bool = True) -> "Database":
        """The pool of a runtime role, as the settings have it."""
        wanted: DatabaseSettings = settings().database
        url = {"web": wanted.web_url, "worker": wanted.worker_url, "operator": wanted.operator_url}[role]
        pool = wanted.worker_pool if role == "worker" else wanted.web_pool
        return cls(url, f"godwit_{role}", pool, pooled=pooled)

    @asynccontextmanager
    async def transaction(
        self, account_id: int | None = None, *, snapshot: bool = False, lasting: bool = True
    ) -> AsyncGenerator[Tx]:
        """Open a transaction for an account (None: for none), commit it at the end, or roll it back.

        `snapshot`: all of it reads one moment, however long it takes, and writes nothing. Not `lasting`: what
        it wrote may be gone if the server dies within the second (counts and times of use, never a fact).

        Raises Unavailable when the database cannot be reached, or is lost on the way: then nobody here
        knows whether it was committed. RuntimeError when a statement had failed and was caught outside a
        savepoint: then nothing was.
        """
        begin = self._beginning(account_id, snapshot=snapshot, lasting=lasting)
        connection = await self._begun(begin)
        token = _open.set(True)
        tx = Tx(connection, account_id, partial(self._again, connection, begin))
        clean = False
        try:
            try:
                yield tx
            except Exception:
                clean = await self._rolled_back(connection)
                raise
            await _commit(tx)
            clean = True
        except DBAPIError as error:
            if not error.connection_invalidated:
                clean = clean or await self._rolled_back(connection)
                raise
            _moved(tx.account_id)  # for all that is known here
            raise Unavailable(_GONE_IN_THE_MIDDLE) from error
        finally:
            _open.reset(token)
            await self.pool.release(connection, clean=clean)
        if not snapshot:
            _moved(tx.account_id)
        await tx.committed()

    async def alone(self, statement: Statement, /, **binds: object) -> list[Any]:
        """The rows of one statement that is its own transaction, for no account: the server commits it
        without being asked, and what it locks nobody can hold who freezes.

        Raises as `transaction` does. A statement that the schema outran is not asked once more.
        """
        connection = await self._begun(f"select {self._asserted()}")
        tx = Tx(connection, None)
        clean = False
        try:
            rows = await tx.rows(statement, **binds)
            clean = True
        except DBAPIError as error:
            if not error.connection_invalidated:
                clean = True
                raise
            raise Unavailable(_GONE_IN_THE_MIDDLE) from error
        finally:
            await self.pool.release(connection, clean=clean)
        return rows

    def _beginning(self, account_id: int | None, *, snapshot: bool, lasting: bool) -> str:
        kind = " isolation level repeatable read read only" if snapshot else ""
        account = "" if account_id is None else int(account_id)
        hasty = "" if lasting else "set local synchronous_commit to off; "
        return (
            f"begin{kind}; {hasty}select set_config('godwit.account_id', '{account}', true),"
            f" {self._asserted()}"
        )

    def _asserted(self) -> str:
        """Dividing by zero is how a statement among several can say no."""
        return f"1 / cast(current_user = '{self.role}' as integer)"

    async def _begun(self, begin: str) -> Any:
        try:
            return await self.pool.acquire(begin)
        except asyncpg.DivisionByZeroError as error:
            raise RuntimeError(f"connected as another role, not as {self.role}") from error
        except Busy as error:
            raise Unavailable("Very many people are here at once. Try again in a moment.") from error
        except asyncpg.PostgresError as error:
            raise Unavailable(_not_let_in(error)) from error
        except (*GONE, TimeoutError) as error:
            raise Unavailable("The database cannot be reached just now. Try again in a moment.") from error

    async def _again(self, connection: Any, begin: str, anew: bool) -> bool:
        """The schema outran a statement: what other connections have prepared goes as well. Whether the
        transaction has begun anew, if it shall."""
        self.pool.renew()
        if not anew or not await self._rolled_back(connection):
            return False
        try:
            await connection.execute(begin, timeout=self.pool.longest_begin)
        except (*GONE, asyncpg.PostgresError):
            return False
        return True

    async def _rolled_back(self, connection: Any) -> bool:
        """Roll back; False when the connection must not be used again."""
        try:
            await connection.execute("rollback", timeout=self.pool.longest_begin)
        except TimeoutError:
            connection.terminate()
            return False
        except (*GONE, asyncpg.PostgresError):
            return False
        return True

    async def close(self) -> None:
        """Close every connection."""
        _moves[_CLOSED] = _moves.get(_CLOSED, 0) + 1
        await self.pool.close()


async def _commit(tx: Tx) -> None:
    """PostgreSQL answers a commit with ROLLBACK, and no error, once a statement has failed."""
    try:
        status: str = await tx.connection.execute("commit")
    except Exception as error:
        tx.failed(error, "commit")
    if status != "COMMIT":
        raise RuntimeError(
            "rolled back, not committed: a statement failed and was caught outside a savepoint"
        )


def _not_let_in(error: Exception) -> str:
    if str(getattr(error, "sqlstate", None) or "").startswith(_LOG_IN_REFUSED):
        return "The database refused the log-in. Look at the user and the password in its address."
    return "The database is not ready just now. Try again in a moment."
