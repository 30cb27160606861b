"""Accounts, jobs, loops and worker processes for the tests of jobs."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

from app.base.database import Database
from app.jobs import enqueue
from app.jobs.runner import QueueLoop, worker_name
from tests.jobs.kinds import QUEUE
from tests.waiting import until

ROOT = Path(__file__).parents[2]


async def two_accounts(owner: Database) -> None:
    """Accounts 7 and 8."""
    async with owner.transaction() as tx:
        await tx.execute(
            "insert into account (id, slug, name) values (7, 'seven', 'Seven'), (8, 'eight', 'Eight')"
        )


async def put(database: Database, args: object, account: int = 7, **how: Any) -> int | None:
    """Enqueue in a transaction of its own."""
    async with database.transaction(account_id=account) as tx:
        return await enqueue(tx, args, **how)


async def job(owner: Database, job_id: int | None) -> Any:
    """The whole row."""
    async with owner.transaction() as tx:
        return await tx.row("select * from job where id = :id", id=job_id)


async def attempts(owner: Database, job_id: int | None) -> list[Any]:
    """What was tried, oldest first."""
    async with owner.transaction() as tx:
        return await tx.rows("select * from attempt where job_id = :id order by lease, late", id=job_id)


async def in_state(owner: Database, job_id: int | None, state: str) -> Any:
    """Wait until the job is in this state; its row."""

    async def there() -> Any:
        row = await job(owner, job_id)
        return row if row.state == state else None

    return await until(there)


async def change(owner: Database, statement: str, **binds: object) -> int:
    """Do something behind everyone's back."""
    async with owner.transaction() as tx:
        return await tx.execute(statement, **binds)


async def let_leases_run_out(owner: Database) -> None:
    """As if the time of every lease had passed."""
    await change(
        owner,
        "update job set leased_until = clock_timestamp() - interval '1 s' where state = 'leased'",
    )


def lines(path: Path) -> list[str]:
    """What the handlers wrote so far."""
    return path.read_text().splitlines() if path.exists() else []


async def written(path: Path, line: str) -> None:
    """Wait until a handler wrote a line that begins so."""

    async def there() -> bool:
        return any(found.startswith(line) for found in lines(path))

    await until(there)


@contextlib.asynccontextmanager
async def working(worker: Database, queue: str = QUEUE) -> AsyncIterator[QueueLoop]:
    """A loop at work in this process."""
    stopping = False
    loop = QueueLoop(worker, queue, worker_name(), lambda: stopping)
    task = asyncio.create_task(loop.run())
    try:
        yield loop
    finally:
        stopping = True
        loop.wake()
        done, _ = await asyncio.wait([task], timeout=5)
        if not done:
            task.cancel()


@contextlib.contextmanager
def worker_process(*queues: str, **environment: str) -> Iterator["subprocess.Popen[bytes]"]:
    """A real worker process that knows the kinds of these tests; killed at the end if it still runs.

    What it says stands with the captured output of the test.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.jobs.worker_with_test_kinds", "--queues", ",".join(queues or (QUEUE,))],
        cwd=ROOT,
        env={**os.environ, **environment},
    )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGKILL)
        process.wait()


@contextlib.contextmanager
def real_worker(*queues: str) -> Iterator[None]:
    """A worker as it ships, at work from the beginning, asked to stop at the end."""
    process = subprocess.Popen(
        [sys.executable, "-m", "workers", "--queues", ",".join(queues)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert process.stdout is not None
    assert any(b"worker_started" in line for line in process.stdout), "it ended before it began"
    threading.Thread(target=process.stdout.read, daemon=True).start()
    try:
        yield
    finally:
        process.terminate()
        assert process.wait(30) == 0
