"""Jobs on durable servers, real workers to strike, and the books held against what the handlers wrote."""

import os
import signal
import subprocess
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import asyncpg

from app.base.database import Database
from app.base.settings import Settings
from app.jobs import JobState
from app.jobs.queue import Order, enqueue_many
from app.testing.faults import add_fault, order_of
from tests.crash.scenario import LONG, ROOT, WorkerUnderTest, is_out
from tests.forked import Forked
from tests.jobs.kinds import Note
from tests.jobs.makers import change, let_leases_run_out, lines, two_accounts
from tests.waiting import until

#: A lease that no scenario waits for: what is to run out is made to (`let_leases_run_out`).
PATIENT = {
    "GODWIT_SEND_TIMEOUT": "2",
    "GODWIT_WEBHOOK_TIMEOUT": "2",
    "GODWIT_LEASE": "60",
    "GODWIT_TRUST_WINDOW": "20",
}
ACCOUNT = 7
_FINAL = (JobState.DONE, JobState.SUPERSEDED, JobState.DISCARDED)
_OPEN = "select count(*) from job where kind like 'test%' and state in ('ready', 'leased')"
_JOBS = "select * from job where kind like 'test%' order by id"
_ATTEMPTS = "select * from attempt where job_id = any (:ids) order by lease, late"
_WAITS = """
select count(*) > 0 from pg_stat_activity
where application_name = '{role}' and wait_event in ('relation', 'transactionid', 'SyncRep')
  and query like '{doing}'
"""
_RESTS = "select count(*) = 0 from pg_stat_activity where application_name = '{role}' and state <> 'idle'"
#: Outcomes that take the count of their attempt back.
_UNCOUNTED = ("continue", "throttled", "held")


@dataclass
class Hand(WorkerUnderTest):
    """A worker process that knows the kinds of tests alone; `environment` on top of the scenario's own."""

    module: str = "tests.jobs.worker_with_test_kinds"
    environment: dict[str, str] = field(default_factory=dict)
    home: Path = ROOT

    def start(self) -> None:
        """Start it; it inherits this test's settings. The code of another place has to be loaded."""
        words, environment = ("--queues", self.queues), {**os.environ, **self.environment}
        if self.home == ROOT:
            self.process = Forked(self.module, words, home=ROOT, log=self.log, environment=environment)
        else:
            command = [sys.executable, "-m", self.module, *words]
            self.process = subprocess.Popen(
                command, cwd=self.home, stderr=self.log.open("ab"), env=environment
            )

    def send(self, number: signal.Signals) -> None:
        """A signal."""
        assert self.process is not None
        self.process.send_signal(number)

    @property
    def alive(self) -> bool:
        """Whether it runs, or is frozen."""
        return self.process is not None and self.process.poll() is None

    async def says(self, words: str, times: int = 1) -> None:
        """Wait until it has said so in its log, so often."""

        async def said() -> bool:
            return self.log.read_text().count(words) >= times

        await until(said, seconds=LONG)


@dataclass(frozen=True)
class Told:
    """A job at the end: its row, its attempts (late ones apart), and the leases under which it began."""

    row: Any
    attempts: list[Any]
    late: list[Any]
    began: list[int]
    ended: list[int]

    @property
    def outcomes(self) -> list[str]:
        """What became of each attempt, oldest first."""
        return [one.outcome for one in self.attempts]


class Yard:
    """Account 7 with jobs to do, and workers that nobody hired yet."""

    def __init__(self, told: Settings, folder: Path) -> None:
        self.web, self.worker = Database.for_role("web"), Database.for_role("worker")
        self.owner = Database(told.database.owner_url, "godwit_owner", 4)
        self._url = told.database.owner_url
        self.folder, self.log, self.gate = folder, folder / "done.log", folder / "gate"
        self.hands: list[Hand] = []

    async def begin(self) -> None:
        """The accounts are there."""
        await two_accounts(self.owner)

    async def end(self) -> None:
        """Whoever still works is killed."""
        for hand in self.hands:
            if hand.alive:
                hand.kill()
        for database in (self.web, self.worker, self.owner):
            await database.close()

    def hire(self, queues: str = "build", *, module: str = "", home: Path = ROOT, **environment: str) -> Hand:
        """A worker at work; `home`: of the code that stands there."""
        hand = Hand(self.folder / f"hand{len(self.hands)}.log", queues=queues, environment=environment)
        hand.module, hand.home = module or hand.module, home
        self.hands.append(hand)
        hand.start()
        return hand

    async def notes(self, *words: str, gated: bool = False, lane: str | None = None) -> list[int]:
        """A job for each word, which writes when it begins and ends; `gated`: ends once the gate is open."""
        gate = str(self.gate) if gated else ""
        orders = [Order(Note(word, str(self.log), gate), share=lane or word, lane=lane) for word in words]
        async with self.web.transaction(ACCOUNT) as tx:
            return await enqueue_many(tx, orders)

    async def strike(self, kind: str, at: str, job: str = "test_note", after: int = 0) -> None:
        """Let whoever comes to this point of a job next be struck, once."""
        match = {"in": "jobs", "job": job}
        told = {"target": "worker", "kind": kind, "at": at, "match": match, "after": after}
        async with self.web.transaction() as tx:
            await add_fault(tx, order_of(told))

    async def struck(self, times: int = 1) -> None:
        """Wait until so many faults fired, and whom the last one hit is dead or stands still."""

        async def fired() -> bool:
            async with self.owner.transaction() as tx:
                rows = await tx.rows("select fired, pid, kind from mailbox.fault where fired > 0 order by id")
            if sum(row.fired for row in rows) != times:
                return False
            return rows[-1].kind == "raise" or is_out(rows[-1].pid)

        await until(fired, seconds=LONG)

    async def leases_over(self) -> None:
        """As if the time of every lease had passed."""
        await let_leases_run_out(self.owner)

    async def shall(self, statement: str) -> int:
        """Do something behind everyone's back."""
        return await change(self.owner, statement)

    async def as_superuser(self, *statements: str) -> Any:
        """Run these, each by itself; the value of the last."""
        connection = await asyncpg.connect(self._url)
        try:
            for statement in statements[:-1]:
                await connection.execute(statement)
            return await connection.fetchval(statements[-1])
        finally:
            await connection.close()

    async def configure(self, change: str) -> None:
        """`alter system`, and no start needed."""
        await self.as_superuser(f"alter system {change}", "select pg_reload_conf()")

    async def waiting(self, doing: str, role: str = "godwit_worker") -> None:
        """Wait until a session can neither go on nor back, in a statement that is like this."""
        await until(lambda: self.as_superuser(_WAITS.format(doing=doing, role=role)), seconds=LONG)

    async def nobody_writes(self, role: str) -> None:
        """Wait until no session of this role is in a transaction."""
        await until(lambda: self.as_superuser(_RESTS.format(role=role)), seconds=LONG)

    async def frozen_at_rest(self, hand: Hand) -> None:
        """Freeze it while none of its sessions is in a transaction, and so holds no lock."""

        async def holds_nothing() -> bool:
            hand.send(signal.SIGSTOP)
            if await self.as_superuser(_RESTS.format(role="godwit_worker")):
                return True
            hand.send(signal.SIGCONT)
            return False

        await until(holds_nothing, seconds=LONG)

    async def asked(self, question: str, **about: object) -> Any:
        """What the database answers to its owner."""
        async with self.owner.transaction() as tx:
            return await tx.value(question, **about)

    async def becomes(self, question: str, **about: object) -> None:
        """Wait until the database says yes."""
        await until(lambda: self.asked(question, **about), seconds=LONG)

    async def gone(self, hand: Hand) -> int:
        """Wait until the process is no more, and let the leases that it held run out; its status."""

        async def ended() -> bool:
            return not hand.alive

        await until(ended, seconds=LONG)
        held = f"state = 'leased' and leased_by like '%:{hand.pid}:%'"
        await self.shall(f"update job set leased_until = clock_timestamp() - interval '1 s' where {held}")
        assert hand.process is not None
        return hand.process.wait()

    async def wrote(self, line: str) -> None:
        """Wait until a handler wrote a line that begins so."""

        async def there() -> bool:
            return any(found.startswith(line) for found in lines(self.log))

        await until(there, seconds=LONG)

    async def quiet(self, seconds: float = LONG) -> None:
        """Wait until no job of the test is ready or in anybody's hands."""

        async def none_left() -> bool:
            return await self.asked(_OPEN) == 0

        await until(none_left, seconds=seconds)

    async def books(self) -> dict[str, Told]:
        """Every note by its word, the books held against what was written: E2, E3, E4.

        Nothing is open; every lease that began is on record, once; as many tries as were counted; what is
        done was done under one lease.
        """
        async with self.owner.transaction() as tx:
            jobs = await tx.rows(_JOBS)
            tries = await tx.rows(_ATTEMPTS, ids=[job.id for job in jobs])
        of_job: dict[int, list[Any]] = defaultdict(list)
        for one in tries:
            of_job[one.job_id].append(one)
        wrote = _written(lines(self.log))
        told = {job.args["word"]: _told(job, of_job[job.id], wrote) for job in jobs if "word" in job.args}
        assert {word for _, word in wrote} <= set(told), "a job that is in no book was done"
        return told


def _written(found: list[str]) -> dict[tuple[str, str], list[int]]:
    """(begin or end, word) → leases."""
    wrote: dict[tuple[str, str], list[int]] = defaultdict(list)
    for line in found:
        what, word, _, lease = line.split()
        wrote[what, word].append(int(lease))
    return wrote


def _told(job: Any, tries: list[Any], wrote: dict[tuple[str, str], list[int]]) -> Told:
    word = job.args["word"]
    late = [one for one in tries if one.late]
    told = Told(
        job,
        [one for one in tries if not one.late],
        late,
        wrote.get(("begin", word), []),
        wrote.get(("end", word), []),
    )
    assert job.state in _FINAL or job.reason, f"{word}: {job.state} without a reason"
    assert job.state not in ("ready", "leased"), f"{word} is still {job.state}"
    on_record = Counter(one.lease for one in told.attempts)
    assert set(on_record.values()) <= {1}, f"{word}: two settled one lease"
    assert set(told.began) <= set(on_record), f"{word} was begun off the record"
    assert set(Counter(told.began).values()) <= {1}, f"{word} was begun twice under one lease"
    if job.state != "discarded":
        assert job.attempts == sum(outcome not in _UNCOUNTED for outcome in told.outcomes), word
    if job.state == "done":
        assert told.outcomes.count("done") == 1, f"{word}: {told.outcomes}"
        assert told.attempts[told.outcomes.index("done")].lease in told.ended
    return told
