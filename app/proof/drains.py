"""A worker that does nothing, many times: how many jobs a second, and what that takes."""

import asyncio
import os
import sys
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from app.base.database import Database
from app.base.errors import Unavailable
from app.jobs import Order, enqueue_many
from app.proof.noop import NOTHING, DoNothing
from app.proof.processors import spent
from app.proof.waiting import seconds_until
from app.proof.writing import memory_of

IN_A_CALL = 1000
#: Redis is not there for who is told this address.
NO_REDIS = "redis://127.0.0.1:1/0"
_LEFT = "select exists (select from job where queue = :queue and state in ('ready', 'leased'))"
_CLAIMED = "select case when is_called then last_value else 0 end from job_lease"


@dataclass(frozen=True)
class Claim:
    """When it was over (monotonic), how long it took, how many jobs it took."""

    at: float
    seconds: float
    jobs: int


@dataclass(frozen=True)
class Worker:
    """A process, and the file of its claims."""

    pid: int
    told: Path

    def claims(self, since: float) -> list[Claim]:
        """Those that were over after this moment."""
        lines = [line.split() for line in self.told.read_text().splitlines()]
        found = [Claim(float(at), float(took), int(jobs)) for at, took, jobs in lines]
        return [one for one in found if one.at > since]


@dataclass(frozen=True)
class Drain:
    """Jobs a second, of all and of each half; microseconds of the processor a job, by process; octets."""

    jobs: int
    per_second: float
    halves: tuple[float, float]
    processor: dict[str, float]
    memory: int

    def processor_told(self) -> str:
        """In words."""
        each = ", ".join(f"{name} {took:.0f}" for name, took in sorted(self.processor.items()))
        return f"of the processor a job took {sum(self.processor.values()):.0f} µs ({each})"


@asynccontextmanager
async def worker(folder: Path, redis: str = "") -> AsyncGenerator[Worker]:
    """One worker process that knows the kind; it ends as workers do."""
    told = folder / "claims"
    told.write_text("")
    command = [sys.executable, "-m", "workers.nothing", str(told), "--queues", NOTHING]
    if redis:
        command = ["env", f"REDIS_URL={redis}", *command]
    with (folder / "worker.log").open("ab") as words:
        process = await asyncio.create_subprocess_exec(*command, stderr=words)
    try:
        yield Worker(process.pid, told)
        if process.returncode is not None:
            raise Unavailable(f"Nothing could be measured: the worker ended with {process.returncode}.")
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def made(web: Database, accounts: Sequence[int], jobs: int) -> float:
    """Jobs with keys, 1,000 in a call, account by account; how many a second were made."""
    calls = [(accounts[n % len(accounts)], n) for n in range(-(-jobs // IN_A_CALL))]
    began = time.perf_counter()
    for account, call in calls:
        most = min(IN_A_CALL, jobs - call * IN_A_CALL)
        async with web.transaction(account) as tx:
            orders = [Order(DoNothing(n), key=f"{call}/{n}") for n in range(most)]
            await enqueue_many(tx, orders)
    return jobs / (time.perf_counter() - began)


async def forgotten(owner: Database) -> None:
    """As if there had never been any."""
    async with owner.transaction() as tx:
        await tx.execute("set local lock_timeout = '30s'")
        await tx.execute("truncate job, attempt, job_key")


async def drained(owner: Database, folder: Path, jobs: int) -> Drain:
    """From the first claim of a worker that just started until none is left: they lie there before."""
    async with owner.transaction() as tx:
        await tx.execute("analyze job")
        start = await tx.value(_CLAIMED)
    async with worker(folder) as one:
        before = dict[str, float]()

        async def over() -> bool:
            async with owner.transaction() as tx:
                claimed = await tx.value(_CLAIMED) - start
                if claimed and not before:
                    before.update(spent(os.getpid()))
                return claimed >= jobs and not await tx.value(_LEFT, queue=NOTHING)

        await seconds_until(over, f"{jobs:,} jobs that do nothing")
        ended, after, memory = time.monotonic(), spent(os.getpid()), memory_of([one.pid])
        claims = one.claims(0)
    began = claims[0].at - claims[0].seconds
    half = _half(claims, jobs // 2)
    took = {
        name: (seconds - before.get(name, 0.0)) * 1e6 / jobs
        for name, seconds in after.items()
        if name in ("Postgres", "Valkey", "worker")
    }
    halves = (jobs / 2 / (half - began), jobs / 2 / (ended - half))
    return Drain(jobs, jobs / (ended - began), halves, took, memory)


def _half(claims: Sequence[Claim], jobs: int) -> float:
    seen = 0
    for one in claims:
        seen += one.jobs
        if seen >= jobs:
            return one.at
    return claims[-1].at
