# pyright: reportMissingTypeStubs=false
"""The database: the only module that opens, commits and rolls back.

A transaction runs under one role and for one account, or for none. The account is what every policy compares
with (T1), and the role is asserted: both in the round trip that begins it, so that a pool wired to the wrong
log-in stops at once instead of reading more than it may.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any, Literal, NoReturn

import asyncpg
from sqlalchemy.exc import DBAPIError

from app.base.driver import AWAY, GONE, Statement, bound, in_the_family, in_words
from app.base.errors import Unavailable
from app.base.pool import Busy, Pool
from app.base.settings import DatabaseSettings, settings
from app.base.telemetry import log

__all__ = ["Database", "Role", "Statement", "Tx", "in_transaction", "in_words", "moves"]

Role = Literal["web", "worker", "operator"]

#: SQLSTATE class of a log-in that the server refuses: a wrong user or password, or pg_hba.conf.
_LOG_IN_REFUSED = "28"
_open = ContextVar("open_transaction", default=False)
_ENTER = "select set_config('godwit.account_id', :account, true)"
_UNBOUNDED = 10_000

#: How many transactions of this process were committed in an account, of those that may have written.
_moves: dict[int, int] = {}
_CLOSED = -1  # no account; counts pools that were closed: what is behind the next one may be anything


def in_transaction() -> bool:
    """Whether a transaction is open in this task: then nobody may talk to the outside."""
    return _open.get()


def moves(account_id: int) -> int:
    """A number that is another one once this process committed something in the account."""
    return _moves.get(account_id, 0) + _moves.get(_CLOSED, 0)


class Tx:
    """An open transaction. Statements take `:named` binds; jsonb comes and goes as Python values."""

    def __init__(self, connection: Any, account_id: int | None) -> None:
        self.connection = connection
        self.account_id = account_id
        self._after_commit: list[Callable[[], Awaitable[None]]] = []
        self._savepoints = 0

    async def rows(self, statement: Statement, /, **binds: object) -> list[Any]:
        """Every row the statement answers."""
        words, values = bound(statement, binds)
        try:
            return await self.connection.fetch(words, *values)
        except Exception as error:
            self.failed(error, words)

    async def row(self, statement: Statement, /, **binds: object) -> Any:
        """The first row, or None."""
        found = await self.rows(statement, **binds)
        return found[0] if found else None

    async def value(self, statement: Statement, /, **binds: object) -> Any:
        """The first column of the first row, or None."""
        found = await self.rows(statement, **binds)
        return found[0][0] if found else None

    async def execute(self, statement: Statement, /, **binds: object) -> int:
        """Run it; answers how many rows it touched, -1 for what touches none."""
        words, values = bound(statement, binds)
        try:
            status = await self.connection.execute(words, *values)
        except Exception as error:
            self.failed(error, words)
        touched = status.rpartition(" ")[2]
        return int(touched) if touched.isdigit() else -1

    async def many(self, statement: Statement, binds: list[dict[str, object]]) -> None:
        """Run it once for each set of binds."""
        if not binds:
            return
        words, _ = bound(statement, binds[0])
        try:
            await self.connection.executemany(words, [bound(statement, one)[1] for one in binds])
        except Exception as error:
            self.failed(error, words)

    def after_commit(self, callback: Callable[[], Awaitable[None]]) -> None:
        """Run `callback` once this transaction is committed; never when it is not."""
        self._after_commit.append(callback)

    @asynccontextmanager
    async def savepoint(self) -> AsyncGenerator[None]:
        """Statements inside are undone alone if they raise."""
        self._savepoints += 1
        name = f"godwit_{self._savepoints}"
        await self.execute(f"savepoint {name}")
        try:
            yield
        except Exception:
            await self.execute(f"rollback to savepoint {name}")
            await self.execute(f"release savepoint {name}")
            raise
        await self.execute(f"release savepoint {name}")

    async def enter_account(self, account_id: int) -> None:
        """See this account's rows from here on; for look-ups that find out whose it is."""
        await self.rows(_ENTER, account=str(account_id))
        self.account_id = account_id

    def failed(self, error: Exception, words: str) -> NoReturn:
        """Raise what the driver raised at this statement, as an error of SQLAlchemy's family."""
        gone = self.connection.is_closed() or isinstance(error, AWAY)
        told = in_the_family(error, words, gone=gone)
        if told is error:
            raise error
        raise told from error

    async def committed(self) -> None:
        """Run what waits for the commit. A callback that fails is logged: the commit stands."""
        for callback in self._after_commit:
            try:
                await callback()
            except Exception as error:  # the facts are committed; what follows may be late, never undo them
                log.warning("after_commit_failed", error=repr(error))


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
        connection = await self._begun(account_id, snapshot=snapshot, lasting=lasting)
        token = _open.set(True)
        tx = Tx(connection, account_id)
        clean = False
        try:
            try:
                yield tx
            except Exception:
                clean = await _rolled_back(connection)
                raise
            await _commit(tx)
            clean = True
        except DBAPIError as error:
            if not error.connection_invalidated:
                clean = clean or await _rolled_back(connection)
                raise
            raise Unavailable(
                "The database went away in the middle of this. Try again in a moment."
            ) from error
        finally:
            _open.reset(token)
            await self.pool.release(connection, clean=clean)
        if tx.account_id is not None and not snapshot:
            _moves[tx.account_id] = _moves.get(tx.account_id, 0) + 1
        await tx.committed()

    async def _begun(self, account_id: int | None, *, snapshot: bool, lasting: bool) -> Any:
        kind = " isolation level repeatable read read only" if snapshot else ""
        account = "" if account_id is None else int(account_id)
        hasty = "" if lasting else "set local synchronous_commit to off; "
        # Dividing by zero is how a statement among several can say no.
        begin = (
            f"begin{kind}; {hasty}select set_config('godwit.account_id', '{account}', true),"
            f" 1 / cast(current_user = '{self.role}' as integer)"
        )
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


async def _rolled_back(connection: Any) -> bool:
    """Roll back; False when the connection must not be used again."""
    try:
        await connection.execute("rollback")
    except (*GONE, asyncpg.PostgresError):
        return False
    return True


def _not_let_in(error: Exception) -> str:
    if str(getattr(error, "sqlstate", None) or "").startswith(_LOG_IN_REFUSED):
        return "The database refused the log-in. Look at the user and the password in its address."
    return "The database is not ready just now. Try again in a moment."
