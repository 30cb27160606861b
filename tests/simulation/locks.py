"""Who waits for whose lock at the server, and who goes first once it is let go.

Nothing here depends on how long anything takes: a statement has ended, or waits for a lock. Who waits is held
still (SIGSTOP) until the lock is his and nobody else runs, since two who were woken by one commit would race.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import asyncpg

if TYPE_CHECKING:
    from tests.simulation.control import Control
    from tests.simulation.lines import Stash
    from tests.simulation.steps import Op


class Locks:
    """Of one run. `note` is told who waits."""

    def __init__(self, control: "Control", stash: "Stash", note: Callable[["Op"], None]) -> None:
        self._control, self._stash, self._note = control, stash, note

    def all_wait(self, asked: list["Op"], now: float) -> bool:
        """Whether each of them waits for a lock that only a step, or a virtual time, can let go."""
        if any(op.line is None or op.broken_off for op in asked):
            return False
        locks = self._control.waiting([op.pid for op in asked])
        running = [op for op in asked if not op.held]
        if any(op.pid not in locks for op in running):
            return False
        for op in running:
            op.held = True
            self._control.hold(op.pid)
        if free := [op for op in asked if op.pid not in locks]:
            self._go_on(min(free, key=lambda op: op.number))
            return False
        return self._for_good(asked, locks, now)

    def break_off(self, op: "Op", error: BaseException) -> None:
        """As the server does; this one's time is virtual."""
        op.broken_off = error
        self._go_on(op)
        self._control.cancel(op.pid)

    def _go_on(self, op: "Op") -> None:
        op.held = False
        self._control.let_go(op.pid)

    def _for_good(self, asked: list["Op"], locks: dict[int, str], now: float) -> bool:
        blockers = self._control.blockers([op.pid for op in asked])
        if not {one for each in blockers.values() for one in each} <= self._stash.pids:
            return False  # the server's own upkeep: it ends by itself
        if ring := _ring(blockers):
            last = max((op for op in asked if op.pid in ring), key=lambda op: op.number)
            self.break_off(last, asyncpg.DeadlockDetectedError("deadlock detected"))
            return False
        for op in asked:
            if not op.waits_for:
                self._note(op)
            if op.waits_for != locks[op.pid]:
                op.waits_for, op.waits_since = locks[op.pid], now
        return True


def _ring(blockers: dict[int, list[int]]) -> set[int]:
    """Those who wait for themselves, by way of others."""

    def reached(pid: int) -> set[int]:
        found, ahead = set[int](), [pid]
        while ahead:
            for one in blockers.get(ahead.pop(), []):
                if one not in found:
                    found.add(one)
                    ahead.append(one)
        return found

    return {pid for pid in blockers if pid in reached(pid)}
