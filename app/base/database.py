"""The database: the only module that opens, commits and rolls back.

A transaction runs under one role and for one account, or for none. Both are settled by
the first statement: the account is what every policy compares with (T1), and the role is
asserted, so that a pool wired to the wrong log-in stops at once instead of reading more
than it may.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from typing import Any, Literal

import msgspec
from sqlalchemy import Executable, Row, TextClause, event, text
from sqlalchemy.engine import CursorResult
from sqlalchemy.exc import DBAPIError, InterfaceError, SQLAlchemyError, StatementError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

from app.base.errors import Unavailable
from app.base.settings import DatabaseSettings, settings
from app.base.telemetry import log

Role = Literal["web", "worker", "operator"]
Statement = str | Executable

#: SQLSTATE class of a log-in that the server refuses: a wrong user or password, or pg_hba.conf.
_LOG_IN_REFUSED = "28"
_open = ContextVar("open_transaction", default=False)
_ENTER = text("select set_config('godwit.account_id', :account, true), current_user")
TIMEOUTS = {"idle_in_transaction_session_timeout": "10s", "lock_timeout": "5s", "statement_timeout": "30s"}
#: Our statements are short: compiling one costs more than it can save.
PLANNING = {"jit": "off"}


#: How many transactions of this process were committed in an account, of those that may have written.
_moves: dict[int, int] = {}
_CLOSED = -1  # no account; counts pools that were closed: what is behind the next one may be anything


def in_transaction() -> bool:
    """Whether a transaction is open in this task: then nobody may talk to the outside."""
    return _open.get()


@contextmanager
def inside() -> Generator[None]:
    """A transaction is open in this task from here on."""
    token = _open.set(True)
    try:
        yield
    finally:
        _open.reset(token)


def moves(account_id: int) -> int:
    """A number that is another one once this process committed something in the account."""
    return _moves.get(account_id, 0) + _moves.get(_CLOSED, 0)


class Tx:
    """An open transaction. Statements take `:named` binds; jsonb comes and goes as Python values."""

    def __init__(self, connection: AsyncConnection, account_id: int | None) -> None:
        self.connection = connection
        self.account_id = account_id
        self._after_commit: list[Callable[[], Awaitable[None]]] = []

    async def rows(self, statement: Statement, /, **binds: object) -> list[Row[Any]]:
        """Every row the statement answers."""
        return list((await self._run(statement, binds)).all())

    async def row(self, statement: Statement, /, **binds: object) -> Row[Any] | None:
        """The first row, or None."""
        return (await self._run(statement, binds)).first()

    async def value(self, statement: Statement, /, **binds: object) -> Any:
        """The first column of the first row, or None."""
        return (await self._run(statement, binds)).scalar()

    async def execute(self, statement: Statement, /, **binds: object) -> int:
        """Run it; answers how many rows it touched."""
        return (await self._run(statement, binds)).rowcount

    async def many(self, statement: Statement, binds: list[dict[str, object]]) -> None:
        """Run it once for each set of binds."""
        if binds:
            await self.connection.execute(_prepared(statement), binds)

    def after_commit(self, callback: Callable[[], Awaitable[None]]) -> None:
        """Run `callback` once this transaction is committed; never when it is not."""
        self._after_commit.append(callback)

    @asynccontextmanager
    async def savepoint(self) -> AsyncGenerator[None]:
        """Statements inside are undone alone if they raise."""
        async with self.connection.begin_nested():
            yield

    async def enter_account(self, account_id: int) -> None:
        """See this account's rows from here on; for look-ups that find out whose it is."""
        await self.connection.execute(_ENTER, {"account": str(account_id)})
        self.account_id = account_id

    async def _run(self, statement: Statement, binds: Mapping[str, object]) -> CursorResult[Any]:
        result = await self.connection.execute(_prepared(statement), dict(binds))
        assert isinstance(result, CursorResult)
        return result

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
        self.engine = _engine(url, role, pool, pooled=pooled)

    @classmethod
    def for_role(cls, role: Role, *, pooled: bool = True) -> "Database":
        """The pool of a runtime role, as the settings have it."""
        wanted: DatabaseSettings = settings().database
        url = {"web": wanted.web_url, "worker": wanted.worker_url, "operator": wanted.operator_url}[role]
        pool = wanted.worker_pool if role == "worker" else wanted.web_pool
        return cls(url, f"godwit_{role}", pool, pooled=pooled)

    @asynccontextmanager
    async def transaction(
        self, account_id: int | None = None, *, snapshot: bool = False
    ) -> AsyncGenerator[Tx]:
        """Open a transaction for an account (None: for none), commit it at the end, or roll it back.

        `snapshot`: all of it reads one moment, however long it takes, and writes nothing.

        Raises Unavailable when the database cannot be reached, or is lost on the way: then nobody here
        knows whether it was committed.
        """
        try:
            connection = await self.engine.connect()
        except (OSError, InterfaceError, TimeoutError) as error:
            raise Unavailable("The database cannot be reached just now. Try again in a moment.") from error
        except DBAPIError as error:
            raise Unavailable(_not_let_in(error)) from error
        token = _open.set(True)
        try:
            if snapshot:
                await connection.execution_options(
                    isolation_level="REPEATABLE READ", postgresql_readonly=True
                )
            tx = Tx(connection, account_id)
            async with connection.begin():
                await self._enter(tx)
                yield tx
        except DBAPIError as error:
            if not error.connection_invalidated:
                raise
            raise Unavailable(
                "The database went away in the middle of this. Try again in a moment."
            ) from error
        finally:
            _open.reset(token)
            await connection.close()
        if tx.account_id is not None and not snapshot:
            _moves[tx.account_id] = _moves.get(tx.account_id, 0) + 1
        await tx.committed()

    async def _enter(self, tx: Tx) -> None:
        account = "" if tx.account_id is None else str(tx.account_id)
        row = (await tx.connection.execute(_ENTER, {"account": account})).one()
        if row.current_user != self.role:
            raise RuntimeError(f"connected as {row.current_user}, not as {self.role}")

    async def close(self) -> None:
        """Close every connection."""
        _moves[_CLOSED] = _moves.get(_CLOSED, 0) + 1
        await self.engine.dispose()


def in_words(error: BaseException) -> str:
    """An exception for people: its class and the first line of its message; of a statement that failed the
    driver's, without the SQL, its values and links."""
    if isinstance(error, StatementError) and error.orig is not None:
        error = error.orig.__cause__ or error.orig
    told = error.args[0] if isinstance(error, SQLAlchemyError) and error.args else error
    first = str(told).strip().partition("\n")[0]
    return ": ".join(filter(None, (type(error).__name__, first)))[:1000]


def _not_let_in(error: DBAPIError) -> str:
    if str(getattr(error.orig, "sqlstate", None) or "").startswith(_LOG_IN_REFUSED):
        return "The database refused the log-in. Look at the user and the password in its address."
    return "The database is not ready just now. Try again in a moment."


def _prepared(statement: Statement) -> Executable:
    return _text(statement) if isinstance(statement, str) else statement


def _text(statement: str) -> TextClause:
    found = _texts.get(statement)
    if found is None:
        found = _texts[statement] = text(statement)
    return found


_texts: dict[str, TextClause] = {}


def _engine(url: str, role: str, pool: int, *, pooled: bool) -> AsyncEngine:
    driver_url = url.replace("postgresql://", "postgresql+asyncpg://", 1)
    options: dict[str, Any] = {
        # What a failed statement was about must not end in a log: it may be an address.
        "hide_parameters": True,
        "connect_args": {
            "server_settings": {"role": role, "application_name": role, **TIMEOUTS, **PLANNING},
            "timeout": 10,
        },
    }
    if pooled:
        options |= {"pool_size": pool, "max_overflow": 0, "pool_timeout": 10, "pool_pre_ping": True}
    else:
        options |= {"poolclass": NullPool}
    engine = create_async_engine(driver_url, **options)
    event.listen(engine.sync_engine, "connect", _on_connect)
    return engine


def _on_connect(dbapi_connection: Any, _record: object) -> None:
    dbapi_connection.run_async(use_plain_jsonb)


async def use_plain_jsonb(connection: Any) -> None:
    """jsonb as Python values in textual statements too, in both directions."""
    await connection.set_type_codec(
        "jsonb",
        schema="pg_catalog",
        encoder=_as_json,
        decoder=msgspec.json.decode,
        format="text",
    )


def _as_json(value: object) -> str:
    return msgspec.json.encode(value).decode()
