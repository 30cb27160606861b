"""What the scenarios share: a worker process to kill, and eyes on the books and on the mailbox."""

import asyncio
import os
import re
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

from app.base.database import Database
from tests.forked import Forked

ROOT = Path(__file__).parents[2]
QUEUES = "build,sends,housekeeping"

#: Seconds that a busy machine may take for what a quiet one does in ten: whoever waits so long waits in vain.
LONG = 300.0
#: As the issue of the part names them: small batches and short patience, so that kills hit something.
ENVIRONMENT = {
    "GODWIT_SEND_RATE": "50",
    "GODWIT_SEND_BATCH": "10",
    "GODWIT_SEND_TIMEOUT": "10",
    "GODWIT_WEBHOOK_TIMEOUT": "10",
    "GODWIT_LEASE": "20",
    "GODWIT_TRUST_WINDOW": "100",
}

_CALLING = """
select b.id from batch b join job j on j.id = b.job_id and j.lease = b.lease and j.state = 'leased'
where b.state = 'calling' and j.leased_by like '%:' || cast(:pid as text) || ':%'
limit 1
"""
_STATE = """
select b.state, (select count(*) from mailbox.mail m where m.batch_id = b.id) as kept
from batch b where b.id = :batch
"""


@dataclass
class WorkerUnderTest:
    """One worker process (`python -m workers`), started, killed and started again."""

    log: Path
    process: Forked | subprocess.Popen[bytes] | None = None
    queues: str = QUEUES

    def start(self) -> None:
        """Start it; it inherits this test's settings."""
        words = ("--queues", self.queues)
        self.process = Forked("workers", words, home=ROOT, log=self.log, environment=os.environ)

    @property
    def pid(self) -> int:
        """Its process id."""
        assert self.process is not None
        return self.process.pid

    def kill(self) -> None:
        """SIGKILL, at whatever instruction it is."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    async def begun(self) -> None:
        """Wait until it works, and hears what it is told."""
        deadline = time.monotonic() + LONG
        while not re.search(rf"worker_started.*:{self.pid}:", self.log.read_text()):
            assert self.process is not None
            assert self.process.poll() is None, "it ended before it began"
            assert time.monotonic() < deadline, "it never began"
            await asyncio.sleep(0.02)

    async def stop(self) -> int:
        """SIGTERM; answers the exit status. Servers that this process runs go on answering meanwhile."""
        await self.begun()
        assert self.process is not None
        self.process.terminate()
        return await asyncio.to_thread(self.process.wait, LONG)


def is_frozen(pid: int) -> bool:
    """Whether SIGSTOP has reached it."""
    return _state(pid).startswith("T")


def is_out(pid: int) -> bool:
    """Whether it is dead or stands still: a fault is counted a moment before it strikes."""
    return _state(pid)[:1] in ("", "T", "Z")


def _state(pid: int) -> str:
    told = subprocess.run(["ps", "-o", "state=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return told.stdout.strip()


async def slow_provider(web: Database, seconds: float) -> None:
    """Order the mailbox to take its time, half of it before it keeps the mail and half after."""
    async with web.transaction() as tx:
        await tx.execute("insert into mailbox.fault (kind, delay) values ('slow', :delay)", delay=seconds)


async def calling_batch(owner: Database, pid: int, seconds: float = LONG) -> UUID:
    """Wait until a batch of this worker's is being handed over."""
    deadline = time.monotonic() + seconds
    while True:
        async with owner.transaction() as tx:
            found = await tx.value(_CALLING, pid=str(pid))
        if found is not None:
            return found
        assert time.monotonic() < deadline, "no batch was ever calling"
        await asyncio.sleep(0.005)


async def kept_batch(owner: Database, batch: UUID) -> None:
    """Wait until the mailbox has taken this batch (the slow provider answers only later)."""
    while True:
        async with owner.transaction() as tx:
            row: Any = await tx.row(_STATE, batch=batch)
        if row.kept or row.state != "calling":
            return
        await asyncio.sleep(0.005)


async def where_it_died(owner: Database, batch: UUID) -> str:
    """Which step the kill hit, in words."""
    async with owner.transaction() as tx:
        row: Any = await tx.row(_STATE, batch=batch)
    if row.state != "calling":
        return "after the settle"
    return "handed over, not settled" if row.kept else "claimed, not handed over"


async def copies(owner: Database) -> dict[str, int]:
    """How many mails the mailbox holds for each address."""
    async with owner.transaction() as tx:
        rows = await tx.rows("select to_address, count(*) as n from mailbox.mail group by 1")
    return {row.to_address: row.n for row in rows}
