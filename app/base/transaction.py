# pyright: reportMissingTypeStubs=false
"""An open transaction: statements, savepoints, what waits for its commit. `database` begins and ends it."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, NoReturn

from app.base.driver import AWAY, OUTRUN, OUTRUN_TYPE, Statement, bound, in_the_family
from app.base.errors import Unavailable
from app.base.telemetry import log

_ENTER = "select set_config('godwit.account_id', :account, true)"


class Tx:
    """An open transaction. Statements take `:named` binds; jsonb comes and goes as Python values."""

    def __init__(
        self, connection: Any, account_id: int | None, again: Callable[[bool], Awaitable[bool]] | None = None
    ) -> None:
        """`again` hears that the schema outran a statement, and whether to begin anew; says if it did."""
        self.connection = connection
        self.account_id = account_id
        self._after_commit: list[Callable[[], Awaitable[None]]] = []
        self._savepoints = 0
        self._again = again
        self._untouched = True

    async def rows(self, statement: Statement, /, **binds: object) -> list[Any]:
        """Every row the statement answers."""
        words, values = bound(statement, binds)
        return await self._asked(words, lambda: self.connection.fetch(words, *values))

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
        status: str = await self._asked(words, lambda: self.connection.execute(words, *values))
        touched = status.rpartition(" ")[2]
        return int(touched) if touched.isdigit() else -1

    async def many(self, statement: Statement, binds: list[dict[str, object]]) -> None:
        """Run it once for each set of binds."""
        if not binds:
            return
        words, _ = bound(statement, binds[0])
        values = [bound(statement, one)[1] for one in binds]
        await self._asked(words, lambda: self.connection.executemany(words, values))

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

    async def _asked(self, words: str, ask: Callable[[], Awaitable[Any]]) -> Any:
        """What the driver answers. The schema outruns a statement prepared before a migration: the first
        of a transaction is asked once more, for nothing was read, locked or written yet."""
        first, self._untouched = self._untouched, False
        try:
            return await ask()
        except (OUTRUN, OUTRUN_TYPE) as error:
            first = first and isinstance(error, OUTRUN)
            if self._again is None or not await self._again(first):
                raise Unavailable("Godwit is being updated just now. Try again in a moment.") from error
        except Exception as error:
            self.failed(error, words)
        try:
            return await ask()
        except Exception as error:
            self.failed(error, words)

    def failed(self, error: Exception, words: str) -> NoReturn:
        """Raise what the driver raised at this statement, as an error of SQLAlchemy's family.

        Where no answer came in time the connection is ended: what it would still say belongs to nobody, and
        the driver's request to stop, sent on a connection of its own, would wait as long.
        """
        if isinstance(error, TimeoutError):
            self.connection.terminate()
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
