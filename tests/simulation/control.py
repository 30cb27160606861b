"""A connection of the scheduler's own, asked from beside the loop: who waits for whom, what is due, the
clock."""

import asyncio
import os
import signal
import threading
from collections.abc import Coroutine
from functools import cache
from pathlib import Path
from typing import Any

import asyncpg

# One look at all locks at once: where everybody waits in it, nobody goes on by himself.
_WAITING = """
select pid, (locktype, relation, page, tuple, virtualxid, transactionid, classid, objid)::text as what
from pg_locks where not granted and pid = any ($1::int[])
"""
_BLOCKERS = "select pid, pg_blocking_pids(pid) as blockers from unnest($1::int[]) as pid"


class Control:
    """Blocking calls to the database under the owner's role, for use within callbacks of the other loop."""

    def __init__(self, url: str) -> None:
        self._held: set[int] = set()
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

    def waiting(self, pids: list[int]) -> dict[int, str]:
        """Those that wait for a lock at this moment, and for which."""
        return {row["pid"]: row["what"] for row in self.rows(_WAITING, pids)}

    def blockers(self, pids: list[int]) -> dict[int, list[int]]:
        """Whom each of them waits for, who stands before it in the same line too."""
        return {row["pid"]: row["blockers"] for row in self.rows(_BLOCKERS, pids)}

    def hold(self, pid: int) -> None:
        """Let the server's process stand still, if it is one of this machine's."""
        if _is_here(pid):
            self._held.add(pid)
            os.kill(pid, signal.SIGSTOP)

    def let_go(self, pid: int) -> None:
        """It goes on."""
        if pid in self._held:
            self._held.remove(pid)
            os.kill(pid, signal.SIGCONT)

    def cancel(self, pid: int) -> None:
        """Break off what this one runs."""
        self.let_go(pid)
        self.rows("select pg_cancel_backend($1)", pid)

    def close(self) -> None:
        """Let go."""
        for pid in list(self._held):
            self.let_go(pid)
        self._wait(self._connection.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _wait(self, asked: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(asked, self._loop).result()


@cache
def _is_here(pid: int) -> bool:
    """Whether that number is a server's process on this machine, and not another's on another."""
    try:
        return b"postgres" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
