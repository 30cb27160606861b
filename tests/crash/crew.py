"""Three standing workers on servers that outlive a test; whoever comes to a boundary first is struck there.

Every failpoint is armed before they start, by a fault that is never due and meets nobody: what a test orders
strikes the next who comes by, without waiting until each process has looked.
"""

import asyncio
import os
import signal
import subprocess
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from app.base import failpoints
from app.base.database import Database
from app.base.settings import settings
from app.cli import ports
from app.cli.services import Services
from app.testing.faults import add_fault, order_of
from tests.crash.scenario import LONG, WorkerUnderTest, is_frozen, is_out
from tests.waiting import until

#: Short patience: what a dead worker left is taken up soon.
HASTY = {
    "GODWIT_SEND_RATE": "0",
    "GODWIT_SEND_BATCH": "10",
    "GODWIT_SEND_TIMEOUT": "4",
    "GODWIT_WEBHOOK_TIMEOUT": "4",
    "GODWIT_LEASE": "10",
    "GODWIT_TRUST_WINDOW": "40",
    "GODWIT_SWEEP": "0.2",
}
MAILINGS = "build,sends,housekeeping"
_NEVER = 1_000_000
# Who froze in a transaction holds its rows until the database ends it.
_OVER = """
update job set leased_until = clock_timestamp()
where id = any (array(
    select id from job where state = 'leased' and leased_by like '%:' || cast(:pid as text) || ':%'
    for update skip locked))
"""
_HELD = """
select count(*) from job where state = 'leased' and leased_by like '%:' || cast(:pid as text) || ':%'
    and leased_until > clock_timestamp()
"""
# A lease outlasts every call that it permits: before that it cannot be over.
_MAY_CALL = """
select count(*) from job where state = 'leased' and leased_by like '%:' || cast(:pid as text) || ':%'
    and leased_at > clock_timestamp() - make_interval(secs => :seconds)
"""
_STRUCK = """
select pid from mailbox.fault where target = 'worker' and after < 1000000 and fired > 0 order by id
"""

# What whoever looks into a scenario that never came true asks first.
_BOOKS = """
select 'job ' || concat_ws(' ', id, kind, state, attempts, leased_by, leased_until, run_at, reason) as line
from job where state not in ('done', 'superseded')
union all select 'mailing ' || concat_ws(' ', id, state, reason, not_reached, put_off_reason) from mailing
union all select 'copies ' || concat_ws(' ', mailing_id, state, count(*)) from send group by mailing_id, state
union all select 'batch ' || concat_ws(' ', id, job_id, lease, state, reason) from batch
union all select 'fault ' || concat_ws(' ', id, kind, at, match_in, match_job, seen, fired, pid)
from mailbox.fault where after < 1000000
"""
_NO_MORE = """
with gone as (delete from mailbox.fault where target = 'worker' and after < 1000000 returning fired, pid)
select pid from gone where fired > 0
"""
_FIRED = "select sum(fired) from mailbox.fault where target = 'worker' and after < 1000000"


@dataclass(frozen=True)
class Terms:
    """What a module's crew works at; settings (without their GODWIT_) on top of HASTY.

    `smtp`: its provider is a mail server at a port of this module's, whose answer to a dot is waited for two
    seconds, one mail a call.
    """

    queues: str = MAILINGS
    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    smtp: bool = False
    size: int = 3

    def told(self) -> dict[str, str]:
        """As the environment has it."""
        smtp = {
            "MAIL_PROVIDER": "smtp",
            "SMTP_URL": f"smtp://127.0.0.1:{ports.choose()}",
            "SMTP_DOT_TIMEOUT": "2",
            "SEND_BATCH": "1",
        }
        wanted = (smtp if self.smtp else {}) | dict(self.settings)
        return HASTY | {f"GODWIT_{name}": value for name, value in wanted.items()}


class Crew:
    """Worker processes of the same queues. Whoever is gone when a test begins is started again."""

    def __init__(self, folder: Path, terms: Terms) -> None:
        self.terms = terms
        self.workers = [
            WorkerUnderTest(folder / f"worker-{number}.log", queues=terms.queues)
            for number in range(terms.size)
        ]

    def muster(self) -> None:
        """Every one of them works, or starts to."""
        for worker in self.workers:
            if worker.process is None or worker.process.poll() is not None:
                worker.start()

    def of(self, pid: int) -> WorkerUnderTest:
        """The one with this process id."""
        return next(one for one in self.workers if one.process is not None and one.pid == pid)

    def dismiss(self, *, frozen: bool) -> None:
        """SIGKILL those that stand still, or all."""
        for worker in self.workers:
            if worker.process and worker.process.poll() is None and (not frozen or is_frozen(worker.pid)):
                worker.kill()


@contextmanager
def a_crew(migrated: Path, folder: Path, terms: Terms) -> Iterator[Crew]:
    """Durable servers of a module's own, its settings in the environment, and its workers."""
    servers = folder / "servers"
    subprocess.run(["cp", "-a", migrated, servers], check=True)
    with Services(servers) as running, pytest.MonkeyPatch.context() as patch:
        told = terms.told() | {
            "DATABASE_URL": running.database_url,
            "REDIS_URL": running.redis_url,
            "GODWIT_DATA": str(folder / "data"),
            "GODWIT_MODE": "testing",
        }
        for name, value in told.items():
            patch.setenv(name, value)
        settings.cache_clear()
        asyncio.run(_arm())
        crew = Crew(folder, terms)
        crew.muster()
        yield crew
        crew.dismiss(frozen=False)
    settings.cache_clear()


async def _arm() -> None:
    web = Database.for_role("web")
    async with web.transaction() as tx:
        for point in failpoints.POINTS:
            nobody = {"in": "webhooks", "job": "deliver_sends"}  # or all would wait for each other at its row
            told = {"target": "worker", "kind": "raise", "at": point, "after": _NEVER, "match": nobody}
            await add_fault(tx, order_of(told))
    await web.close()


class Stage:
    """One scenario on a crew: what is struck, who was, and eyes on the books."""

    def __init__(self, crew: Crew) -> None:
        self.crew = crew
        self.web, self.worker = Database.for_role("web"), Database.for_role("worker")
        self.owner = Database(settings().database.owner_url, "godwit_owner", 2)

    async def begin(self) -> None:
        """The crew is whole."""
        self.crew.muster()

    async def end(self) -> None:
        """Nothing more is struck, and nobody stands still."""
        async with self.owner.transaction() as tx:
            await tx.execute("delete from mailbox.fault where after < 1000000")
        self.crew.dismiss(frozen=True)
        for database in (self.web, self.worker, self.owner):
            await database.close()

    async def asked(self, question: str, **about: object) -> Any:
        """One value, as the owner."""
        async with self.owner.transaction() as tx:
            return await tx.value(question, **about)

    async def order(self, target: str, kind: str, **more: object) -> None:
        """As POST /testing/faults."""
        async with self.web.transaction() as tx:
            await add_fault(tx, order_of({"target": target, "kind": kind, **more}))

    async def strike(self, kind: str, place: str, at: str, job: str, **more: object) -> None:
        """Let whoever comes to this boundary of such a job next be struck, once unless told."""
        await self.order("worker", kind, at=at, match={"in": place, "job": job}, **more)

    async def struck(self, n: int = 1) -> list[int]:
        """Wait until so many of the faults have fired, and whom they hit is dead or stands still."""

        async def hit() -> list[int] | None:
            async with self.owner.transaction() as tx:
                pids = [row.pid for row in await tx.rows(_STRUCK)]
            return pids if len(pids) == n and all(map(is_out, pids)) else None

        return await self.all_of(hit)

    async def stop_all(self, place: str, at: str, job: str) -> None:
        """Let each worker who comes to this boundary of such a job be frozen there until `all_go_on`."""
        for number in range(self.crew.terms.size):
            await self.strike("stop", place, at, job, after=number)

    async def one_stopped(self) -> None:
        """Wait until the first of them is."""

        async def one() -> bool:
            async with self.owner.transaction() as tx:
                pids = [row.pid for row in await tx.rows(_STRUCK)]
            return any(map(is_out, pids))

        await self.all_of(one)

    async def all_go_on(self) -> None:
        """Nobody else is frozen, and whoever is goes on."""
        async with self.owner.transaction() as tx:
            pids = [row.pid for row in await tx.rows(_NO_MORE)]

        async def out() -> bool:
            return all(map(is_out, pids))

        await self.all_of(out)
        for pid in pids:
            os.kill(pid, signal.SIGCONT)

    async def over(self, pid: int) -> None:
        """The leases of whom it hit are over, as they would be later on; nor is any call of its in time."""

        async def late_for_calls() -> bool:
            seconds = settings().sending.timeout + 0.5
            return not await self.asked(_MAY_CALL, pid=str(pid), seconds=seconds)

        async def nothing_held() -> bool:
            async with self.owner.transaction() as tx:
                await tx.execute(_OVER, pid=str(pid))
                return not await tx.value(_HELD, pid=str(pid))

        process = self.crew.of(pid).process
        if process is not None and process.poll() is None:
            await self.all_of(late_for_calls)
        await self.all_of(nothing_held)

    async def lapsed(self, pid: int) -> None:
        """Wait until the leases of whom it hit ran out by themselves: by its own clock too."""

        async def so() -> bool:
            return not await self.asked(_HELD, pid=str(pid))

        await self.all_of(so)

    async def fired(self) -> int:
        """How often workers were struck."""
        return await self.asked(_FIRED)

    async def all_struck(self, times: int) -> None:
        """Wait until workers died so often; who is dead is started again, its leases over."""

        async def so() -> bool:
            for worker in self.crew.workers:
                if worker.process is not None and worker.process.poll() is not None:
                    await self.over(worker.pid)
                    worker.start()
            return await self.fired() == times

        await self.all_of(so)
        for pid in [one.pid for one in self.crew.workers if one.process and one.process.poll() is not None]:
            await self.over(pid)

    async def woken(self, *pids: int) -> None:
        """They go on where they froze, finish what they have in hand, and end well."""
        for pid in pids:
            os.kill(pid, signal.SIGCONT)
        for pid in pids:
            assert await self.crew.of(pid).stop() == 0

    async def all_of(self, question: Callable[[], Awaitable[Any]], seconds: float = LONG) -> Any:
        """Wait until the answer is true-ish; else the books and the workers' last words are told."""
        try:
            return await until(question, seconds=seconds)
        except AssertionError as never:
            async with self.owner.transaction() as tx:
                books = [row.line for row in await tx.rows(_BOOKS)]
            said = [line for one in self.crew.workers for line in one.log.read_text().splitlines()[-12:]]
            raise AssertionError("\n".join([str(never), *books, *said])) from None
