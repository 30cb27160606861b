"""A connection of the scheduler's own, asked from beside the loop: who waits for whom, what is due, the
clock."""

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any

import asyncpg

_BLOCKED = "select pid from unnest($1::int[]) as pid where cardinality(pg_blocking_pids(pid)) > 0"


class Control:
    """Blocking calls to the database under the owner's role, for use within callbacks of the other loop."""

    def __init__(self, url: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._connection: Any = self._wait(asyncpg.connect(url, server_settings={"jit": "off"}))

    def rows(self, statement: str, *values: object) -> list[Any]:
        """Every row."""
        return self._wait(self._connection.fetch(statement, *values))

    def value(self, statement: str, *values: object) -> Any:
        """The first column of the first row."""
        return self._wait(self._connection.fetchval(statement, *values))

    def run(self, statements: str) -> None:
        """Run statements without values."""
        self._wait(self._connection.execute(statements))

    def blocked(self, pids: list[int]) -> set[int]:
        """Those that wait for a lock of another."""
        return {row["pid"] for row in self.rows(_BLOCKED, pids)}

    def cancel(self, pid: int) -> None:
        """Break off what this one runs."""
        self.rows("select pg_cancel_backend($1)", pid)

    def close(self) -> None:
        """Let go."""
        self._wait(self._connection.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _wait(self, asked: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(asked, self._loop).result()
