"""A world at work: worker processes, the bell, people, and what lies outside, on one scheduler."""

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Mapping
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any, TypeVar, cast
from uuid import UUID

from app import ledger
from app.jobs.registry import ClaimedJob
from app.jobs.runner import QueueLoop
from app.mail import probe_refusing
from tests.simulation import kinds
from tests.simulation.ground import Ground, seconds_of
from tests.simulation.lines import SimDatabase
from tests.simulation.loop import owner
from tests.simulation.outside import Provider, Receivers
from tests.simulation.plan import Act, Plan
from tests.simulation.scheduler import Scheduler
from tests.simulation.steps import Process, Step
from workers.process import WorkerProcess
from workers.schedule import Timer, enqueue_schedule, sweep_leases

T = TypeVar("T")
#: Virtual seconds between the rounds of timers, and after which another takes a dead worker's place.
ROUND, RESTART = 10.0, 7.0
#: Virtual seconds that one who is asked to stop has for what is in hand (workers/process): the longest call +
#: 15 s.
GRACE = 21.0
#: By what a reader leaves.
LEAVING = ("unsubscribe_reader", "suppress_reader")
#: Seconds the bell's flag stands (app/jobs/bell.BELL_MS).
FLAG = 5.0
#: When something is due next: work, leases, calls without an answer, a probe; a mailing that goes on is due
#: now.
_DUE = """
select min(at) as at, sim.clock_timestamp() as now from (
    select j.run_at as at from job j where j.state = 'ready'
      and not (j.queue in ('messages', 'sends') and mail_stopped(j.account_id, j.queue = 'sends'))
    union all select leased_until from job where state = 'leased'
    union all select call_until from batch where state = 'calling'
    union all select probe_at from provider_refusal where let_in_at is null
    union all select sim.clock_timestamp() from mailing m  -- the sweep skips what came back after it was over
      join send s on s.account_id = m.account_id and s.mailing_id = m.id
      where m.state = 'cancelled' and s.state = 'planned'
    union all select sim.clock_timestamp() from mailing m where state = 'sending'
      and not mail_stopped(account_id, true) and not exists (select from provider_refusal where let_in_at
      is null)
      and (exists (select from send s where s.mailing_id = m.id and s.state = 'planned')
           or not exists (select from send s where s.mailing_id = m.id and s.state in ('sending', 'unknown')))
) as due
"""
_CLAIM = "-- Nothing is handed over without a committed claim"
_NAMED = """
select b.account_id, b.mailing_id, s.reader_id, s.address from batch b
join send s on s.account_id = b.account_id and s.mailing_id = b.mailing_id and s.batch_id = b.id
where b.id = $1
"""


@dataclass(frozen=True)
class Done:
    """An act that is known to be committed: the steps at which it began and was heard of, and what it did."""

    began: int
    ended: int
    name: str
    what: Any


class World:
    """Everything of one run but the database; see `plan` for what happens in it."""

    def __init__(self, ground: Ground, sim: Scheduler, plan: Plan) -> None:
        self.ground, self.sim, self.plan = ground, sim, plan
        self.rng = random.Random(plan.seed * 7 + 1)
        self.calm = False
        self.provider = Provider(self, plan.has_record, plan.asked_at_once)
        self.receivers = Receivers(self)
        self.processes: list[Process] = []
        self.loops: dict[Process, dict[str, QueueLoop]] = {}
        self.mailings: list[tuple[int, UUID]] = []
        self.tries: Counter[int] = Counter()
        self.batches: dict[UUID, tuple[int, Any, dict[str, UUID]]] = {}
        self.claims: dict[UUID, int] = {}  # the step of the claim that names it (or any id of a claim)
        self.told: list[tuple[int, UUID, UUID, list[UUID]]] = []
        self.done: list[Done] = []
        self.unsure: list[Act] = []  # nobody heard whether they were committed
        self.retired: list[
            str
        ] = []  # workers that ended because they were asked to, and nothing else befell them
        self.context = copy_context()
        self._flags: dict[str, float] = {}
        self._rung: list[str] = []
        self._ears: dict[Process, asyncio.Event] = {}
        self._quiet: asyncio.Future[None] | None = None
        sim.leap, sim.on_step = self._leap, self.granted
        kinds.world = self

    # ---- processes

    def start_workers(self) -> None:
        """All of them."""
        for n in range(self.plan.workers):
            self._start_worker(f"w{n + 1}")

    def spawn(self, process: Process, work: Callable[[], Any]) -> "asyncio.Task[Any]":
        """Run something as this process."""
        if process not in self.processes:
            self.processes.append(process)
        context = self.context.copy()
        context.run(owner.set, process)
        task = self.sim.loop.create_task(work(), context=context)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: "asyncio.Task[Any]") -> None:
        """What nobody expected ends the run."""
        if not task.cancelled() and (error := task.exception()) and not self.sim.crashed.done():
            self.sim.crashed.set_exception(error)

    def _start_worker(self, name: str) -> None:
        process = Process(name)
        self.processes.append(process)
        process.died = lambda: self._died(process)
        self._ears[process] = asyncio.Event()
        self.spawn(process, lambda: self._work(process))

    def _died(self, process: Process) -> None:
        self.loops.pop(process, None)
        self._ears.pop(process, None)
        name = process.name.rstrip("'") + "'" * (process.name.count("'") + 1)
        self.appoint(RESTART, lambda: self._start_worker(name))

    async def _work(self, process: Process) -> None:
        """As WorkerProcess.run."""
        shell: Any = WorkerProcess.__new__(WorkerProcess)
        shell._stopping, shell.queues = False, list(self.plan.queues)
        loops = {
            queue: QueueLoop(
                SimDatabase(self.sim, "godwit_worker"), queue, process.name, lambda: shell._stopping
            )
            for queue in self.plan.queues
        }
        self.loops[process] = shell._loops = loops
        timers, asked = SimDatabase(self.sim, "godwit_worker", 3), asyncio.Event()
        process.stop = lambda: (shell.stop(), asked.set())[0]
        beside = [asyncio.create_task(shell._repeat(timer, timers)) for timer in self._timers()]
        beside.append(asyncio.create_task(self._listen(process, loops)))
        working = [asyncio.create_task(loop.run()) for loop in loops.values()]
        await asked.wait()
        _, left = await asyncio.wait(working, timeout=GRACE)
        await self.sim.turn("leave")  # nothing is on its way to the server then
        for task in beside:
            task.cancel()
        await asyncio.gather(*beside, return_exceptions=True)
        await shell._own_up(timers)
        if not left and not process.struck:
            self.retired.append(process.name)
        await self.sim.turn("end")
        self.sim.kill(process)

    def _timers(self) -> list[Timer]:
        if self.plan.kind == "bell":
            return []
        found = [Timer("sweep leases", lambda: ROUND, sweep_leases)]
        if self.plan.kind == "jobs":
            found.append(Timer("schedule", lambda: ROUND, enqueue_schedule))
        if self.plan.kind == "mailing":
            found += [
                Timer("feed", lambda: ROUND / 3, ledger.feed),
                Timer("sweep the ledger", lambda: ROUND, ledger.sweep),
                Timer("probe", lambda: ROUND, probe_refusing),
            ]
        return found

    # ---- the bell

    async def ring(self, queue: str) -> None:
        """As bell.ring, with a flag and a list for Redis."""
        await self.sim.turn(f"ring {queue}")
        if queue not in self.plan.queues or self._flags.get(queue, -FLAG) + FLAG > self.sim.loop.now:
            return
        self._flags[queue] = self.sim.loop.now
        self._rung.append(queue)
        for ear in self._ears.values():
            ear.set()

    def flush(self) -> None:
        """Redis forgets everything."""
        self._flags.clear()
        self._rung.clear()

    async def _listen(self, process: Process, loops: Mapping[str, QueueLoop]) -> None:
        ear = self._ears[process]
        while True:
            await ear.wait()
            ear.clear()
            while self._rung:
                await self.sim.turn("hear the bell")
                if self._rung:
                    queue = self._rung.pop(0)
                    self._flags.pop(queue, None)
                    loops[queue].wake()

    # ---- chance and time

    def draw(self, weights: Mapping[T, int], calm: T) -> T:
        """One of these; the harmless one once the world is calm."""
        chosen = self.rng.choices(list(weights), list(weights.values()))[0]
        return calm if self.calm else chosen

    def appoint(self, seconds: float, then: Callable[[], None]) -> None:
        """Let something happen after so many virtual seconds, come what may."""
        self.sim.appoint(self.sim.loop.now + seconds, then)

    async def doze(self) -> None:
        """A handler that takes its time, beyond its lease now and then."""
        usual = self.plan.mood in ("usual", "busy")
        await asyncio.sleep(self.rng.choice((1.0, 10.0, 40.0) if usual else (10.0, 15.0)))

    def note(self, what: str) -> None:
        """For the trace."""
        process = owner.get()
        self.sim.trace.append((self.sim.steps, self.sim.loop.now, process.name if process else "·", what))

    def _leap(self, timer: float) -> float:
        """How far the clock may move at once: while no handler is at work, to what is due next."""
        if any(loop.busy for loops in self.loops.values() for loop in loops.values()):
            return timer
        if self.plan.kind == "bell":
            return self._leap_of_bell(timer)
        row = self.sim.control.rows(_DUE)[0]
        if row["at"] is None:
            self._be_quiet()
            return max(timer, min(self.sim.appointments.values(), default=timer))
        return max(timer, seconds_of(row["at"]))

    def _leap_of_bell(self, timer: float) -> float:
        if timer > self.sim.loop.now + 1:  # no timer of a loop's may help
            self._be_quiet()
        return timer

    def _be_quiet(self) -> None:
        if self._quiet is not None and not self._quiet.done() and not self.sim.appointments:
            self._quiet.set_result(None)

    async def quiet(self) -> None:
        """Wait until nothing is due, ever."""
        self._quiet = self.sim.loop.create_future()
        await self._quiet

    # ---- what handlers tell

    def began(self, job: ClaimedJob) -> int:
        """A handler has begun; the how-manieth time."""
        self.sim.stir()
        self.tries[job.id] += 1
        return self.tries[job.id]

    def evidence_later(self, batch: UUID) -> None:
        """The provider's own news of a batch that its record does not show."""
        self.appoint(self.rng.choice((1.0, 30.0, 300.0)), lambda: self._tell_evidence(batch))

    def _tell_evidence(self, batch: UUID) -> None:
        process = Process("news")
        process.may_die = False
        self.spawn(process, lambda: self._evidence(batch))

    async def _evidence(self, batch: UUID) -> None:
        account, mailing, readers = self.batches[batch]
        async with SimDatabase(self.sim, "godwit_worker", 1).transaction(account) as tx:
            await ledger.apply_evidence(tx, batch, list(readers.values()), why="the provider said so")
        self.told.append((account, mailing, batch, list(readers.values())))

    def named(self, batch: UUID) -> None:
        """The provider is called with a batch: what the books have of it, committed (L3)."""
        self.sim.stir()
        rows = self.ground.control.rows(_NAMED, batch)
        found = {row["address"]: row["reader_id"] for row in rows}
        self.batches[batch] = (rows[0]["account_id"], rows[0]["mailing_id"], found) if rows else (0, None, {})

    def granted(self, step: Step) -> None:
        """A step is about to run: claims of copies are remembered by their batch."""
        if step.what.startswith(_CLAIM):
            for value in step.values:
                if isinstance(value, UUID):
                    self.claims.setdefault(value, self.sim.steps)

    # ---- what the oracle asks

    def name_of(self, reader: UUID) -> str:
        """r1, r2 …"""
        return f"r{reader.int & 0xFFFF}"

    def audience_of(self, account: int) -> set[UUID]:
        """The readers who were there from the beginning and never left, for all that is known."""
        left = {act.what[1] for act in self.done if act.name in LEAVING}
        left |= {
            self.ground.reader(account, cast(int, act.args[0])) for act in self.unsure if act.name in LEAVING
        }
        n = dict(zip(self.ground.accounts, self.plan.readers, strict=False)).get(account, 0)
        return {self.ground.reader(account, one + 1) for one in range(n)} - left

    def decided(self, mailing: UUID, arrived: int) -> bool:
        """Whether a person said of unknown copies of this mailing that they arrived (1), or did not (0)."""
        if any(act.name == "decide" and act.args[1] == arrived for act in self.unsure):
            return True
        return any(act.name == "decide" and act.what == (mailing, arrived) for act in self.done)
