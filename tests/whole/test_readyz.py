"""`/readyz` beside real worker processes: killed, frozen, at work on everything but one job (E2, E11)."""

import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress

import httpx
import pytest

from app.base.database import Database
from app.base.settings import Settings
from app.cli.serve import PROCESSES
from app.ops import UNSEEN
from tests.jobs.makers import ROOT, change
from tests.waiting import until
from tests.web_server import client_of, serving

_LATER = """
insert into job (account_id, queue, kind, args, share, run_at)
values (0, 'build', 'of_a_newer_version', '{}', '0', now() + interval '1 hour')
"""


@pytest.fixture
async def client(settings_env: Settings) -> AsyncIterator[httpx.AsyncClient]:
    async with serving() as url, client_of(url) as made:
        yield made


@contextmanager
def a_worker(queues: str) -> Iterator["subprocess.Popen[bytes]"]:
    """As it ships; killed at the end if it still lives."""
    process = subprocess.Popen(
        [sys.executable, "-m", "workers", "--queues", queues], cwd=ROOT, stderr=subprocess.DEVNULL
    )
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            process.send_signal(signal.SIGCONT)
            process.kill()
        process.wait()


async def becomes(client: httpx.AsyncClient, status: int) -> dict[str, str]:
    async def there() -> dict[str, str] | None:
        told = await client.get("/readyz")
        return told.json() if told.status_code == status else None

    return await until(there, seconds=120)


async def half_a_minute_passes(owner: Database) -> None:
    """Whoever lives is seen anew within five seconds."""
    await change(
        owner, "update worker set seen_at = seen_at - make_interval(secs => :seconds)", seconds=UNSEEN + 1
    )


async def names_only(client: httpx.AsyncClient, queues: str) -> None:
    wanted = f"No worker was seen for {queues.replace(',', ', ')} in the last 30 seconds."

    async def there() -> bool:
        told = (await client.get("/readyz")).json()
        return told == {"ready": False, "workers": wanted}

    await until(there, seconds=120)


async def test_a_killed_or_frozen_worker_is_named_by_its_queues_and_a_new_one_mends_it(
    client: httpx.AsyncClient, owner: Database
) -> None:
    codes, rest = PROCESSES
    await becomes(client, 503)
    with a_worker(codes) as first, a_worker(rest) as second:
        await becomes(client, 200)
        os.kill(first.pid, signal.SIGKILL)
        first.wait()
        await half_a_minute_passes(owner)
        await names_only(client, codes)
        with a_worker(codes):
            await becomes(client, 200)
            os.kill(second.pid, signal.SIGSTOP)
            await half_a_minute_passes(owner)
            await names_only(client, rest)
            os.kill(second.pid, signal.SIGCONT)
            await becomes(client, 200)


async def test_work_that_no_worker_of_this_version_does_is_red_once_its_time_has_come(
    client: httpx.AsyncClient, owner: Database
) -> None:
    """The clock is moved, and everybody is at work."""
    await change(owner, _LATER)
    with a_worker(",".join(PROCESSES)):
        await becomes(client, 200)
        await change(owner, "update clock set ahead = interval '2 hours'")
        told = await becomes(client, 503)
    assert told["due_work"].startswith("Due work waits and nobody is at it: build for 36")
    assert "workers" not in told


async def test_a_worker_that_is_asked_to_stop_says_so(client: httpx.AsyncClient, owner: Database) -> None:
    """E9: and what it counted until then is not lost."""
    with a_worker(",".join(PROCESSES)) as process:
        await becomes(client, 200)

        async def tidied() -> bool:
            async with owner.transaction() as tx:
                return await tx.value("select count(*) from job where state = 'done'") > 0

        await until(tidied)
        process.terminate()
        assert process.wait(30) == 0
    async with owner.transaction() as tx:
        assert await tx.value("select count(*) from worker where stopped_at is not null") == 1
        done = await tx.value("select count(*) from attempt where outcome = 'done'")
        assert (
            await tx.value("select cast(sum(n) as bigint) from outcome_count where outcome = 'done'") == done
        )
