"""What the scheduler deals in: processes, the steps at which they park, what is at the server, and faults."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.simulation.lines import Line


class Stuck(Exception):
    """It never becomes quiet."""


@dataclass(eq=False)
class Process:
    """Something with tasks and lines of its own, that dies or freezes as a whole."""

    name: str
    tasks: dict[Any, int] = field(default_factory=dict)  # each with the number of its birth
    born: int = 0
    lines: list[Line] = field(default_factory=list)
    dead: bool = False
    frozen_until: float = -1.0
    wakes: tuple[float, int] | None = None  # after a time, at a step
    died: Callable[[], None] = lambda: None
    stop: Callable[[], None] = lambda: None  # as SIGTERM
    may_die: bool = True
    struck: bool = False  # by anything but being asked to stop

    def place(self) -> tuple[str, int]:
        """Whose turn it is when several could go: by name, and by the birth of the task."""
        return self.name, self.tasks.get(asyncio.current_task(), 0)

    def alive(self) -> None:
        """Nothing a dead one does has any effect."""
        if self.dead:
            raise asyncio.CancelledError


@dataclass(frozen=True)
class Fault:
    """What happens to the process drawn at the step of this number.

    `kill`, `freeze` (for `seconds`), `cut` (its line before the step), `unheard` (its line after the step,
    before the answer), `stop` (SIGTERM: the step is made, and all that is in hand). `where`: only steps whose
    words hold this are counted. `steps`: a frozen one wakes that many steps after somebody began a talk once
    its leases had run out: it may be what was its.
    """

    at: int
    kind: str
    seconds: float = 0.0
    steps: int = 0
    where: str = ""


@dataclass(eq=False)
class Step:
    """A process parked before something that others may see; `place` tells its tasks apart."""

    place: tuple[str, int]
    process: Process
    what: str
    gate: "asyncio.Future[None]"
    line: Line | None = None
    values: Any = ()


@dataclass(eq=False)
class Op:
    """A statement at the server; without a `line`, the opening of one. `number`: in the order of their
    flight; `waits_for`: the lock another has, since a virtual second; `broken_off`: with what error."""

    place: tuple[str, int]
    process: Process
    line: Line | None
    what: str
    answer: "asyncio.Future[Any]"
    number: int = 0
    done: bool = False
    waits_for: str = ""
    waits_since: float = 0.0
    held: bool = False  # stands still at the server
    broken_off: BaseException | None = None
    unheard: bool = False
    result: Any = None
    error: BaseException | None = None

    @property
    def pid(self) -> int:
        """Of the server's process."""
        assert self.line is not None
        return self.line.pid
