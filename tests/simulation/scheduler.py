"""The scheduler: lets one step of one process run at a time, by the seed; blocked ones wait for the others.

A *step* is a statement, a commit, a talk or a ring. A process parks at each; when all of them are parked, or
wait for a lock that another holds, the next one is drawn. The clock moves only when nobody can run. A fault
strikes at the step of its number: the process that was drawn dies, freezes, loses its line or the answer, or
is asked to stop.
"""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import asyncpg

from tests.simulation.control import Control
from tests.simulation.lines import Line, Stash
from tests.simulation.locks import Locks
from tests.simulation.loop import VirtualLoop, owner
from tests.simulation.steps import Fault, Op, Process, Step, Stuck

#: Real seconds between looks at statements that have no answer yet. Decides nothing: they end, or wait for a
#: lock.
LOOK, LONGEST_LOOK = 0.012, 0.05
#: Virtual seconds, as the runtime roles have them (base/driver.TIMEOUTS).
LOCK_TIMEOUT, IDLE_TIMEOUT = 5.0, 10.0
#: Virtual seconds of a lease in the simulation.
LEASE = 25.0


class Scheduler:
    """One run. `rewrite` changes the words of statements (a planted fault)."""

    def __init__(
        self,
        loop: VirtualLoop,
        control: Control,
        stash: Stash,
        seed: int,
        *,
        faults: list[Fault],
        sticky: float = 0.5,
        rewrite: Callable[[str], str] = lambda words: words,
        most_steps: int = 4000,
    ) -> None:
        self.loop, self.control, self.stash = loop, control, stash
        self.reworded = rewrite
        self.rng = random.Random(seed)
        self.sticky, self.most_steps = sticky, most_steps
        self.faults = list(faults)
        self._met: dict[str, int] = {}
        self.every_commit = False  # a step also where nothing was found or written
        self.trace: list[tuple[int, float, str, str]] = []
        self.steps = 0
        self.struck: list[str] = []
        self.over = False
        #: Ends with what made the run fail.
        self.crashed: asyncio.Future[None] = loop.create_future()
        self.appointments: dict[Any, float] = {}
        self.on_step: Callable[[Step], None] = lambda step: None
        self.on_done: Callable[[Op], None] = lambda op: None
        self.leap: Callable[[float], float] = lambda timer: timer
        self._parked: list[Step] = []
        self._ops: list[Op] = []
        self._chores = 0
        self._flown_off = 0
        self._look_at = self._pause = 0.0
        self._stirring = False  # whether anything may have changed at the server since all were seen to wait
        self._last: Process | None = None
        self._unheard: set[Any] = set()
        self._drowsy: list[Process] = []
        self._locks = Locks(control, stash, lambda op: self._note(op.process, f"… waits: {_short(op.what)}"))
        self._watchers: list[tuple[str, asyncio.Future[None]]] = []
        self._stirred = -1.0

    # ---- what processes call

    async def turn(self, what: str, *, line: Line | None = None, values: Any = ()) -> None:
        """Wait until it is this one's turn."""
        process: Process = owner.get()
        process.alive()
        step = Step(process.place(), process, what, self.loop.create_future(), line, values)
        self._parked.append(step)
        try:
            await step.gate
        finally:
            if step in self._parked:
                self._parked.remove(step)
        process.alive()

    async def fly(self, line: Line | None, words: str, ask: Callable[[], Awaitable[Any]]) -> Any:
        """Have the server run something, and hear its answer when that is this one's turn."""
        process: Process = owner.get()
        self._flown_off += 1
        op = Op(process.place(), process, line, words, self.loop.create_future(), self._flown_off)
        op.unheard = line in self._unheard
        self._ops.append(op)
        self._stirring, self._pause = True, LOOK
        self._look_at = time.monotonic() + LOOK
        if line is not None:
            line.flying = op
        token = owner.set(None)
        try:
            self.loop.create_task(self._flown(op, ask))
        finally:
            owner.reset(token)
        answer = await op.answer
        process.alive()
        return answer

    async def sleep_until(self, when: float) -> None:
        """Virtual seconds; unlike other sleeps no leap of the clock passes over it."""
        key = object()
        self.appointments[key] = when
        try:
            await asyncio.sleep(max(0.0, when - self.loop.now))
        finally:
            self.appointments.pop(key, None)

    async def met(self, where: str, times: int, longest: float) -> None:
        """Until so many steps whose words hold this were made, or so many virtual seconds are over."""
        until = self.loop.now + longest
        for _ in range(times):
            reached: asyncio.Future[None] = self.loop.create_future()
            self._watchers.append((where, reached))
            over = asyncio.ensure_future(self.sleep_until(until))
            await asyncio.wait([reached, over], return_when=asyncio.FIRST_COMPLETED)
            over.cancel()
            if not reached.done():
                return

    def chore(self, work: Coroutine[Any, Any, None]) -> None:
        """Tidy up beside the processes, before anybody goes on."""

        async def done() -> None:
            try:
                await work
            finally:
                self._chores -= 1
                self._stirring = True

        self._chores += 1
        token = owner.set(None)
        try:
            self.loop.create_task(done())
        finally:
            owner.reset(token)

    async def landed(self, op: Op) -> None:
        """Wait until the server has ended it, whoever hears of it."""
        while not op.done:  # noqa: ASYNC110
            await asyncio.sleep(0)

    @property
    def busy(self) -> bool:
        """Whether the server or the house is still at something."""
        return bool(self._chores) or any(not op.done for op in self._ops)

    def kill(self, process: Process) -> None:
        """Gone at once, with all that it had open."""
        process.dead = True
        for line in list(process.lines):
            line.terminate()
        for task in list(process.tasks):
            task.cancel()
        process.died()

    # ---- what the loop calls when nothing is ready

    def idle(self) -> float | None:
        """See VirtualLoop."""
        try:
            return self._idle()
        except Exception as error:  # the story ends here, by the one who tells it
            self.over = True
            if not self.crashed.done():
                self.crashed.set_exception(error)
            return None

    def _idle(self) -> float | None:
        if self._chores:
            return 0.02
        asked = [op for op in self._ops if not op.done]
        if asked and self._stirring:
            if (left := self._look_at - time.monotonic()) > 0:
                return left
            if not self._locks.all_wait(asked, self.loop.now):
                return self._look_later()
        self._stirring = False
        if self.over:
            return 0.001
        if self._deliver() or self._grant():
            return None
        return self._pass_time()

    def _look_later(self) -> float:
        self._pause = min(self._pause * 2, LONGEST_LOOK)
        self._look_at = time.monotonic() + self._pause
        return self._pause

    def _deliver(self) -> bool:
        ready = [op for op in self._ops if op.done and op.process.frozen_until <= self.loop.now]
        if not ready:
            return False
        op = min(ready, key=lambda one: one.place)
        self._ops.remove(op)
        if op.unheard and op.line is not None:
            self._unheard.discard(op.line)
            op.line.terminate()
            op.error = asyncpg.ConnectionDoesNotExistError("the line was cut before the answer came")
        self.on_done(op)
        if op.answer.cancelled():
            if op.line is None and op.result is not None:
                self.stash.give(op.result)
            return True
        if op.error is not None:
            op.answer.set_exception(op.error)
        else:
            op.answer.set_result(op.result)
        return True

    def _grant(self) -> bool:
        free = [one for one in self._parked if one.process.frozen_until <= self.loop.now]
        free.sort(key=lambda one: one.place)
        if not free:
            return False
        own = [one for one in free if one.process is self._last]
        among = own if own and self.rng.random() < self.sticky else free
        step = self.rng.choice(among)
        self._last = step.process
        self.steps += 1
        self._wake_up()
        if self.steps > self.most_steps:
            raise Stuck(f"not quiet after {self.steps} steps, at {self.loop.now:.0f} s")
        fault = self._fault(step)
        if fault is not None and self._strike(fault, step):
            return True
        self._parked.remove(step)
        self._note(step.process, _short(step.what))
        self.on_step(step)
        for where, reached in list(self._watchers):
            if where in step.what:
                self._watchers.remove((where, reached))
                if not reached.done():
                    reached.set_result(None)
        if not step.gate.done():
            step.gate.set_result(None)
        return True

    def _fault(self, step: Step) -> Fault | None:
        """The first that is due at this step; a step of a person who is not to die counts for none."""
        if not step.process.may_die:
            return None
        for where in dict.fromkeys(fault.where for fault in self.faults):
            if where in step.what:
                self._met[where] = self._met.get(where, 0) + 1
        for fault in self.faults:
            if self._met.get(fault.where, 0) >= fault.at and fault.where in step.what:
                self.faults.remove(fault)
                return fault
        return None

    def _strike(self, fault: Fault, step: Step) -> bool:
        """Whether the step was not run."""
        self.struck.append(f"{fault.kind} {step.process.name} at {_short(step.what)}")
        self._note(step.process, f"!! {fault.kind} {fault.seconds or ''} before {_short(step.what)}")
        step.process.struck |= fault.kind != "stop"
        if fault.kind == "kill":
            self.kill(step.process)
        elif fault.kind == "freeze":
            self._freeze(step.process, fault)
        elif fault.kind == "cut" and step.line is not None:
            self._parked.remove(step)
            step.line.terminate()
            step.gate.set_result(None)
        elif fault.kind == "stop":
            step.process.stop()
            return False
        elif fault.kind == "unheard" and step.line is not None:
            self._unheard.add(step.line)
            return False
        else:
            return False
        return True

    def _freeze(self, process: Process, fault: Fault) -> None:
        seconds = LEASE + 100 if fault.steps else fault.seconds
        process.frozen_until = self.loop.now + seconds
        if fault.steps:
            process.wakes = self.loop.now + LEASE, fault.steps
            self._drowsy.append(process)
        self.appoint(process.frozen_until)
        if seconds > IDLE_TIMEOUT:
            self.appoint(self.loop.now + IDLE_TIMEOUT, lambda: self._idle_too_long(process))

    def stir(self) -> None:
        """Somebody begins a talk."""
        self._stirred = self.loop.now

    def _wake_up(self) -> None:
        for process in list(self._drowsy):
            assert process.wakes is not None
            after, steps = process.wakes
            if self._stirred >= after:
                process.wakes = after, steps - 1
                if steps <= 1 or process.frozen_until <= self.loop.now:
                    self._drowsy.remove(process)
                    process.frozen_until = self.loop.now
                    self._note(process, "… goes on")

    def appoint(self, when: float, then: Callable[[], None] = lambda: None) -> None:
        """Let something happen at a virtual second, come what may."""
        key = object()
        self.appointments[key] = when

        def due() -> None:
            self.appointments.pop(key, None)
            then()

        self.loop.call_at(when, due)

    def _idle_too_long(self, process: Process) -> None:
        """The server ends the session of who stands still in a transaction."""
        for line in list(process.lines):
            if line.open_since is not None and (line.flying is None or line.flying.done):
                self._note(process, "… its transaction is ended by the server")
                line.terminate()

    def _pass_time(self) -> float | None:
        waiting = [op for op in self._ops if not op.done]
        late = [op for op in waiting if op.waits_since + LOCK_TIMEOUT <= self.loop.now]
        if late:
            first = min(late, key=lambda op: op.number)
            self._stirring = True
            self._locks.break_off(
                first, asyncpg.LockNotAvailableError("canceling statement due to lock timeout")
            )
            return self._look_later()
        times = [op.waits_since + LOCK_TIMEOUT for op in waiting]
        timer = self.loop.next_timer()
        if timer is not None:
            times.append(timer if waiting or self.appointments_before(timer) else self.leap(timer))
        if not times:
            raise Stuck("nobody can run, and no time will change that")
        self._move(min([*times, *self.appointments.values()]))
        return None

    def appointments_before(self, when: float) -> bool:
        """Whether somebody has something to do by then."""
        return any(one <= when for one in self.appointments.values())

    def _move(self, when: float) -> None:
        if when > self.loop.now:
            self.loop.now = when
            self.control.value("select sim.advance($1)", int(when * 1e6))

    # ---- the rest

    def _note(self, process: Process, what: str) -> None:
        self.trace.append((self.steps, self.loop.now, process.name, what))

    async def _flown(self, op: Op, ask: Callable[[], Awaitable[Any]]) -> None:
        try:
            op.result = await ask()
        except BaseException as error:
            op.error = op.broken_off or error
        op.done = True
        self._stirring = True


def _short(words: str) -> str:
    return " ".join(words.split())[:90]
