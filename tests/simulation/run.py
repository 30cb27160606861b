"""Running seeds: one process has one loop, one database and its connections, and runs seed after seed in
them."""

import asyncio
import os
import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from unittest import mock

import structlog

from app import webhooks
from app.base import ids
from app.base.database import Database
from app.base.settings import settings
from app.jobs import bell, pacing, runner
from app.mail import directory
from app.webhooks import calls
from tests.simulation import kinds, oracle
from tests.simulation.acts import Person, people
from tests.simulation.control import Control
from tests.simulation.ground import ACCOUNTS, Ground
from tests.simulation.lines import Stash
from tests.simulation.loop import VirtualLoop
from tests.simulation.plan import Act, Plan
from tests.simulation.scheduler import LEASE, Scheduler
from tests.simulation.steps import Op, Process, Stuck
from tests.simulation.world import World
from workers import catalog, schedule

#: Real seconds after which a run is broken off.
LONGEST = 60.0
#: Whether a mailing waits for a person.
_OPEN = """
select exists (select from mailing where state not in ('finished', 'cancelled'))
    or exists (select from send where state in ('planned', 'sending', 'unknown'))
"""
_ENVIRONMENT = {
    "GODWIT_MODE": "development",
    "GODWIT_SEND_TIMEOUT": "6",
    "GODWIT_WEBHOOK_TIMEOUT": "6",
    "GODWIT_TRUST_WINDOW": "60",
    "GODWIT_LEASE": f"{LEASE:.0f}",
    "GODWIT_SWEEP": "5",
    "GODWIT_SEND_BATCH": "3",
    "GODWIT_SECRET_KEYS": "Z29kd2l0LXRlc3RzLWtub3ctdGhpcy1rZXktYnktaGU",
}


@dataclass
class Result:
    """What became of a run: `failure` None when every promise held."""

    plan: Plan
    failure: str | None
    trace: list[tuple[int, float, str, str]]
    steps: int
    struck: list[str]
    virtual: float

    @property
    def promise(self) -> str:
        """Its letter and number."""
        return (self.failure or "").partition(":")[0]


@dataclass
class Bench:
    """Where seeds are run. `rewrite` changes statements (a planted fault); `prepared` is asked for each
    run."""

    owner_url: str
    loop: VirtualLoop = field(default_factory=VirtualLoop)
    rewrite: Callable[[str], str] = lambda words: words

    @contextmanager
    def started(self, folder: str) -> Iterator["Bench"]:
        """Lay the ground in the database of this address, which must be a fresh copy of the template."""
        told = {"DATABASE_URL": self.owner_url, "REDIS_URL": "redis://127.0.0.1:1/0", "GODWIT_DATA": folder}
        kept = [name for name in os.environ if not name.startswith("GODWIT_")]
        environment = {name: os.environ[name] for name in kept} | _ENVIRONMENT | told
        logging = structlog.get_config()
        with mock.patch.dict(os.environ, environment, clear=True):
            settings.cache_clear()
            structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
            catalog.load()
            self.control = Control(self.owner_url)
            self.ground = Ground(self.control).laid()
            self.settings = settings()
            urls = settings().database
            self.stash = Stash({"godwit_worker": urls.worker_url, "godwit_web": urls.web_url})
            self.loop.run_until_complete(self._prepare())
            try:
                yield self
            finally:
                self._close()
                settings.cache_clear()
                structlog.configure(**logging)

    async def _prepare(self) -> None:
        await self.stash.filled("godwit_worker", 20)
        await self.stash.filled("godwit_web", 6)
        database = Database(settings().database.web_url, "godwit_web", 1)
        with ids.seeded("endpoint"):
            async with database.transaction(ACCOUNTS[0]) as tx:
                made, _ = await webhooks.add_endpoint(
                    tx, webhooks.NewEndpoint("https://hooks.example.com/godwit", ("*",))
                )
        self.ground.endpoint = made.id
        self.control.run("update endpoint set created_at = timestamptz '2026-01-01'")
        await database.close()

    def _close(self) -> None:
        """Let go of everything."""
        self.loop.run_until_complete(self.stash.close())
        self.control.close()
        self.loop.close()

    def run(self, plan: Plan) -> Result:
        """One seed, from nothing to quiet, and what the oracle says."""
        mailing = plan.kind == "mailing"
        counts = dict(zip(self.ground.accounts, plan.readers, strict=False)) if mailing else {}
        self.ground.cleared(counts, endpoint=not mailing)
        self.loop.begin_anew()
        random.seed(plan.seed)
        sim = Scheduler(
            self.loop, self.control, self.stash, plan.seed,
            faults=list(plan.faults), sticky=plan.sticky, rewrite=self.rewrite,
        )  # fmt: skip
        sim.every_commit = plan.kind == "bell"
        world = World(self.ground, sim, plan)
        failure: str | None = None
        try:
            with patched(world):
                self.loop.run_until_complete(self._lived(world))
        except oracle.Broken as broken:
            failure = str(broken)
        except Stuck as stuck:
            failure = f"E2: {stuck}"
        finally:
            self.loop.idle = None
        return Result(plan, failure, sim.trace, sim.steps, sim.struck, self.loop.now)

    async def _lived(self, world: World) -> None:
        sim = world.sim
        sim.on_done = lambda op: _after(op, world)
        self.loop.idle = sim.idle
        with ids.seeded(f"run {world.plan.seed}"):
            world.context = copy_context()
            story = self.loop.create_task(self._told(world))
        try:
            await asyncio.wait([story, sim.crashed], return_when=asyncio.FIRST_COMPLETED)
            story.cancel()
            (sim.crashed if sim.crashed.done() else story).result()
            oracle.at_the_end(world)
        finally:
            sim.over = True
            await self._swept(world)

    async def _told(self, world: World) -> None:
        world.start_workers()
        await asyncio.gather(*people(world), return_exceptions=True)  # one may die; a bug ends the run
        await world.quiet()
        world.calm = True
        await self._close_up(world)

    async def _close_up(self, world: World) -> None:
        """People put right what waits for a person, until nothing does."""
        if world.plan.kind == "lanes":
            await self._person(world, Act(0.0, 9, "resume_endpoint"))
        if world.plan.kind != "mailing":
            return
        rows = self.control.rows("select account_id, id from mailing order by id")
        world.mailings = [(row["account_id"], row["id"]) for row in rows]  # also of who died on the commit
        if self.control.value("select exists (select from switch where stopped)"):
            await self._person(
                world, Act(0.0, 9, "start", (0,))
            )  # a permit waits for it, its mailing cancelled
        for _ in range(4):
            if not self.control.value(_OPEN):
                return
            acts = [Act(0.0, 9, "start", (0,))]
            for n in range(len(world.mailings)):
                acts += [Act(0.0, 9, "resume", (n,)), Act(0.0, 9, "decide", (n, world.plan.seed % 2))]
            await self._person(world, *acts)

    async def _person(self, world: World, *acts: Act) -> None:
        process = Process("p9", may_die=False)
        await world.spawn(process, Person(world, process, list(acts)).live)
        await world.quiet()

    async def _swept(self, world: World) -> None:
        """End every task of the run; its lines go back to the stash."""
        processes = world.processes
        for process in processes:
            process.died = process.stop = lambda: None
            world.sim.kill(process)
        while any(process.tasks for process in processes) or world.sim.busy:  # noqa: ASYNC110
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        self.stash.forget_the_rest()


def _after(op: Op, world: World) -> None:
    if op.what.startswith("-- Only the holder of the lease settles") and op.line is not None and op.result:
        oracle.of_a_settle(op.line.values, op.result)
    if op.what == "commit" and op.error is None and op.line is not None and op.line.touched:
        oracle.at_this_moment(world.sim.control)


@contextmanager
def patched(world: World) -> Iterator[None]:
    """The bell, the provider, the receivers and the clock of this process are the world's."""
    clock = SimpleNamespace(monotonic=world.sim.loop.time)
    with ExitStack() as stack:
        for target, name, made in (
            (bell, "ring", world.ring),
            (runner, "time", clock),
            (pacing, "time", clock),
            (directory, "_kept", lambda wanted: world.provider),
            (calls, "client", lambda: world.receivers),
            (schedule, "SCHEDULE", kinds.SCHEDULE),
        ):
            stack.enter_context(mock.patch.object(target, name, made))
        yield


def without_some(plan: Plan) -> Iterator[Plan]:
    """The plan with a little less in it, each way once."""
    for n in range(len(plan.faults)):
        yield replace(plan, faults=plan.faults[:n] + plan.faults[n + 1 :])
    for n in range(len(plan.acts)):
        yield replace(plan, acts=plan.acts[:n] + plan.acts[n + 1 :])
    if plan.workers > 1:
        yield replace(plan, workers=plan.workers - 1)
    for n, readers in enumerate(plan.readers):
        if readers > 1:
            yield replace(plan, readers=(*plan.readers[:n], readers - 1, *plan.readers[n + 1 :]))


def shrunk(bench: Bench, found: Result, most: int = 60) -> Result:
    """The same promise broken by less, as far as that many runs lead."""
    best, tried, better = found, 0, True
    while better and tried < most:
        better = False
        for less in without_some(best.plan):
            tried += 1
            if tried > most:
                break
            result = bench.run(less)
            if result.failure and result.promise == found.promise:
                best, better = result, True
                break
    return best


def told(result: Result) -> str:
    """A failure in words: the promise, the seed, the plan, and the steps."""
    plan = result.plan
    lines = [
        f"{result.failure}",
        f"seed {plan.seed} ({plan.kind}, {plan.workers} workers): pytest tests/simulation --seed {plan.seed}",
        *(f"  act at {act.at} s by p{act.who}: {act.name} {act.args}" for act in plan.acts),
        *(
            f"  fault at step {one.at}: {one.where} {one.kind} {one.seconds or ''} {one.steps or ''}"
            for one in plan.faults
        ),
        *(f"  {step:4} {at:8.2f} {who:4} {what}" for step, at, who, what in result.trace),
    ]
    return "\n".join(lines)
