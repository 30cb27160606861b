"""Connections on which every statement and commit is a step of the scheduler's.

Real connections are kept from seed to seed; a process that dies has its transaction rolled back, as the
server does, and the connection goes on to the next. `begin` is no step of its own: before its first statement
a transaction has neither seen nor locked anything.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import asyncpg

from app.base.database import Database
from app.base.driver import opened
from app.base.pool import Pool
from tests.simulation.loop import owner

if TYPE_CHECKING:
    from tests.simulation.scheduler import Scheduler

_SESSION = """
set lock_timeout = 0; set idle_in_transaction_session_timeout = 0; set statement_timeout = 0;
set plan_cache_mode = force_generic_plan
"""


class Stash:
    """Real connections by role that wait for their next transaction."""

    def __init__(self, urls: dict[str, str]) -> None:
        self._urls = urls
        self._idle: dict[str, list[Any]] = {role: [] for role in urls}
        self._roles: dict[Any, str] = {}
        self.pids: set[int] = set()  # of the server's processes

    async def take(self, role: str) -> Any:
        """One that is in no transaction."""
        if self._idle[role]:
            return self._idle[role].pop()
        raw = await opened(self._urls[role], role, None)  # type: ignore[arg-type]
        await raw.execute(_SESSION)
        self._roles[raw] = role
        self.pids.add(raw.get_server_pid())
        return raw

    def give(self, raw: Any) -> None:
        """It is free again."""
        self._idle[self._roles[raw]].append(raw)

    def forget_the_rest(self) -> None:
        """End what nobody gave back, as those do who die while a connection is being opened for them."""
        waiting = {raw for kept in self._idle.values() for raw in kept}
        for raw in self._roles.keys() - waiting:
            del self._roles[raw]
            raw.terminate()

    async def filled(self, role: str, n: int) -> None:
        """Open so many ahead."""
        for raw in [await self.take(role) for _ in range(n)]:
            self.give(raw)

    async def close(self) -> None:
        """The end."""
        for kept in self._idle.values():
            while kept:
                await kept.pop().close()


class Line:
    """What a process has of a connection: it may be cut without the connection's ending."""

    def __init__(self, sim: "Scheduler", raw: Any, role: str) -> None:
        self.sim, self.raw, self.role = sim, raw, role
        self.pid: int = raw.get_server_pid()
        self.process = owner.get()
        self.open_since: float | None = None
        self.gone = False
        self.flying: Any = None
        self.values: Any = ()  # of what was asked last
        self.wrote = False  # whether its transaction found or changed anything: else nobody sees its commit
        self.touched = False  # whether what a moment must hold may be another now
        self.process.lines.append(self)

    async def fetch(self, words: str, *values: object) -> list[Any]:
        """A step."""
        words = self.sim.reworded(words)
        await self._turn(words, values)
        found = await self._asked(words, lambda: self.raw.fetch(words, *values))
        if "returning" in words and found and "id" in found[0]:
            found.sort(key=lambda row: str(row["id"]))  # in what order they come is the heap's business
        self.wrote |= bool(found)
        self.touched |= "tally" in words or ("leased" in words and bool(found))
        return found

    async def execute(self, words: str, *values: object, timeout: float | None = None) -> str:  # noqa: ASYNC109 - the driver's own
        """A step, unless it begins or undoes a transaction."""
        words = self.sim.reworded(words)
        if words.startswith("begin"):
            self.open_since = self.sim.loop.now
            words += "; select setseed(0.5), nextval('sim.clock')"
        elif words != "rollback" and (words != "commit" or self.wrote or self.sim.every_commit):
            await self._turn(words, values)
        answer = await self._asked(words, lambda: self.raw.execute(words, *values))
        if words in ("commit", "rollback"):
            self.open_since = None
        self.wrote = not words.startswith("begin") and (self.wrote or not answer.endswith(" 0"))
        return answer

    async def executemany(self, words: str, values: list[Any]) -> None:
        """A step."""
        await self._turn(words, ())
        self.wrote = True
        await self._asked(words, lambda: self.raw.executemany(words, values))

    def is_closed(self) -> bool:
        """Whether it was cut."""
        return self.gone

    def terminate(self) -> None:
        """Cut it."""
        if not self.gone:
            self.gone = True
            self.process.lines.remove(self)
            self.sim.chore(self._cleaned())

    async def close(self, timeout: float | None = None) -> None:  # noqa: ASYNC109
        """Cut it."""
        self.terminate()

    def give_back(self) -> None:
        """Its transaction has ended well."""
        if not self.gone:
            self.gone = True
            self.process.lines.remove(self)
            self.sim.stash.give(self.raw)

    async def _turn(self, words: str, values: Any) -> None:
        self._there()
        self.values = values
        await self.sim.turn(words, line=self, values=values)
        self._there()

    def _there(self) -> None:
        if self.gone:
            raise asyncpg.ConnectionDoesNotExistError("the line was cut")

    async def _asked(self, words: str, ask: Callable[[], Any]) -> Any:
        self._there()
        return await self.sim.fly(self, words, ask)

    async def _cleaned(self) -> None:
        if self.flying is not None and not self.flying.done:
            self.sim.control.cancel(self.pid)
            await self.sim.landed(self.flying)
        if self.raw.is_in_transaction():
            await self.raw.execute("rollback")
        self.sim.stash.give(self.raw)


class SimPool(Pool):
    """A process's pool, of lines."""

    def __init__(self, sim: "Scheduler", role: str, most: int) -> None:
        super().__init__("", role, most)
        self._sim, self._as = sim, role

    async def _begun(self, begin: str) -> Any:
        process = owner.get()
        process.alive()
        raw = await self._sim.fly(None, "a line is opened", lambda: self._sim.stash.take(self._as))
        line = Line(self._sim, raw, self._as)
        try:
            await line.execute(begin)
        except BaseException:
            line.terminate()
            raise
        return line

    async def release(self, connection: Any, *, clean: bool) -> None:
        """Take it back, or cut it."""
        connection.give_back() if clean else connection.terminate()
        self._leave()


class SimDatabase(Database):
    """The database as one process has it."""

    def __init__(self, sim: "Scheduler", role: str, most: int = 8) -> None:
        super().__init__("", role, most)
        self.pool = SimPool(sim, role, most)
