# pyright: reportMissingTypeStubs=false
"""The driver: statements as it takes them, its rows, its errors, and connections under one role.

SQLAlchemy writes statements here and names errors. Its pool, transactions and cursors take three times as
long as a short statement itself (measured), and every request has a dozen of these.
"""

import socket
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, cast

import asyncpg
import msgspec
from sqlalchemy import Executable, TextClause, text
from sqlalchemy.dialects.postgresql import asyncpg as dialect
from sqlalchemy.exc import DBAPIError, SQLAlchemyError, StatementError

Statement = str | Executable

TIMEOUTS = {"idle_in_transaction_session_timeout": "10s", "lock_timeout": "5s", "statement_timeout": "30s"}
# A process that freezes between the parts of a statement is neither idle nor in one: the other time-outs
# never come, and what it has locked stays so. Only a server of this version or a newer one can end that.
_ENDS_TRANSACTIONS = (17, 0)
#: A worker's transactions are short; what a person asks for, an export say, may take its time.
LONGEST_TRANSACTION = {"godwit_worker": "60s"}
#: Our statements are short: compiling one costs more than it can save.
PLANNING = {"jit": "off"}
#: Seconds; what the server lets a statement take, and time for the answer to come: a limit for the case that
#: nobody is there to keep the server's.
LONGEST_STATEMENT = 35.0
#: The kernel's own look whether the other side is there: it ends a connection some 10 s after the last sign
#: of life, whether we sent something or wait.
_SIGNS = {
    "TCP_KEEPIDLE": 5,  # seconds
    "TCP_KEEPINTVL": 2,
    "TCP_KEEPCNT": 3,
    "TCP_USER_TIMEOUT": 10_000,  # milliseconds
}
#: A statement was prepared before a migration that changed what it answers: the server refused to run it.
OUTRUN = asyncpg.InvalidCachedStatementError
#: A type is another one since; the driver has now forgotten them all, jsonb of our kind too.
OUTRUN_TYPE = asyncpg.OutdatedSchemaCacheError
#: The connection is gone, or the server says that it goes; of one that is cut, the driver may only know that
#: it lost the thread (InternalClientError).
AWAY = (
    OSError,
    asyncpg.InternalClientError,
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.CannotConnectNowError,
    asyncpg.IdleInTransactionSessionTimeoutError,
)
#: What a connection raises on which nothing was asked yet, when it has ended meanwhile.
GONE = (*AWAY, asyncpg.InterfaceError)
#: Statements that a connection keeps prepared.
_PREPARED = 200
_DIALECT = dialect.dialect()
_DBAPI = cast(Any, dialect.dialect.import_dbapi())
_KINDS: Mapping[type, Any] = _DBAPI._asyncpg_error_translate


class Record(asyncpg.Record):
    """A row whose columns are attributes too; it unpacks like a tuple, and `_mapping` like a dict."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    @property
    def _mapping(self) -> "Record":
        return self


async def opened(url: str, role: str, longest_statement: float = LONGEST_STATEMENT) -> Any:
    """A connection under the role. Raises what the driver does, TimeoutError of a statement that is not
    answered within so many seconds too."""
    connection = await cast(Any, asyncpg).connect(
        url,
        server_settings={"role": role, "application_name": role, **TIMEOUTS, **PLANNING},
        record_class=Record,
        statement_cache_size=_PREPARED,
        max_cached_statement_lifetime=0,
        command_timeout=longest_statement,
        timeout=10,
    )
    try:
        _watch(connection)
        await use_plain_jsonb(connection)
        if role in LONGEST_TRANSACTION and connection.get_server_version() >= _ENDS_TRANSACTIONS:
            await connection.execute(f"set transaction_timeout = '{LONGEST_TRANSACTION[role]}'")
    except BaseException:
        connection.terminate()
        raise
    return connection


def _watch(connection: Any) -> None:
    """Let the kernel end it when the other side is gone without a word, where it knows how."""
    line = connection._transport.get_extra_info("socket")
    if line is None or line.family not in (socket.AF_INET, socket.AF_INET6):
        return
    line.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _SIGNS.items():
        if hasattr(socket, name):
            line.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


async def use_plain_jsonb(connection: Any) -> None:
    """jsonb as Python values, in both directions."""
    await connection.set_type_codec(
        "jsonb",
        schema="pg_catalog",
        encoder=_as_json,
        decoder=msgspec.json.decode,
        format="text",
    )


def _as_json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def bound(statement: Statement, binds: Mapping[str, object]) -> tuple[str, Sequence[object]]:
    """The statement as the driver takes it, and its values in their order."""
    if isinstance(statement, (str, TextClause)):
        words, names = _textual(statement)
        return words, [binds[name] for name in names]
    made = cast(Any, statement).compile(dialect=_DIALECT).construct_expanded_state(dict(binds) or None)
    values = ((name, made.parameters[name]) for name in made.positiontup or ())
    bind = made.processors
    return made.statement, [bind[name](value) if name in bind else value for name, value in values]


@lru_cache(maxsize=2048)
def _textual(statement: str | TextClause) -> tuple[str, tuple[str, ...]]:
    clause = text(statement) if isinstance(statement, str) else statement
    compiled = cast(Any, clause.compile(dialect=_DIALECT))
    return str(compiled), tuple(compiled.positiontup or ())


def in_the_family(error: Exception, words: str, *, gone: bool) -> Exception:
    """What the driver raised, as an error of SQLAlchemy's family that shows no values; others as they are.

    `gone`: the connection cannot be used any more.
    """
    kind = next((_KINDS[one] for one in type(error).__mro__ if one in _KINDS), None)
    if kind is None and isinstance(error, OSError):
        kind = _DBAPI.OperationalError
    if kind is None:
        return error
    origin = kind(error.args[0] if error.args else "", error)
    origin.__cause__ = error
    return cast(Any, DBAPIError).instance(
        words,
        None,
        origin,
        _DBAPI.Error,
        hide_parameters=True,
        connection_invalidated=gone,
        dialect=_DIALECT,
    )


def in_words(error: BaseException) -> str:
    """An exception for people: its class and the first line of its message; of a statement that failed the
    driver's, without the SQL, its values and links."""
    if isinstance(error, StatementError) and error.orig is not None:
        error = error.orig.__cause__ or error.orig
    told = error.args[0] if isinstance(error, SQLAlchemyError) and error.args else error
    first = str(told).strip().partition("\n")[0]
    return ": ".join(filter(None, (type(error).__name__, first)))[:1000]
