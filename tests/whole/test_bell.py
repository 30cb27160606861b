"""A loop, its bell, and a database that is away: E2. Workers that are killed and stopped: test_workers.py."""

from pathlib import Path

import pytest
from structlog.testing import capture_logs

from app.base.database import Database
from app.base.settings import settings
from app.jobs import bell
from tests.jobs.kinds import Note
from tests.jobs.makers import change, in_state, job, lines, put, until, worker_process, working, written

pytestmark = pytest.mark.usefixtures("accounts")


async def test_the_bell_wakes_a_worker_long_before_its_timer(
    web: Database, owner: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bell, "PATIENCE", 30)  # a hint that a slow machine gave up is not what this is about
    with worker_process(GODWIT_SWEEP="600"):
        ready = await put(web, Note("found at the start", str(tmp_path / "log")))
        await in_state(owner, ready, "done")
        for n in range(3):
            await in_state(owner, await put(web, Note(str(n), str(tmp_path / "log"))), "done")


async def test_a_ring_whose_claim_failed_is_not_forgotten(
    web: Database, worker: Database, owner: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """E2: the database could not answer just then; nobody rings a second time, and the timer is far away."""
    monkeypatch.setenv("GODWIT_SWEEP", "600")
    settings.cache_clear()
    async with working(worker) as loop:
        ready = await put(web, Note("before", str(tmp_path / "log")))
        loop.wake()
        await in_state(owner, ready, "done")
        with capture_logs() as said:
            await change(owner, "alter table switch rename to switch_away")
            try:
                made = await put(web, Note("meanwhile", str(tmp_path / "log")))

                async def failed() -> bool:
                    loop.wake()
                    return any(entry["event"] == "claim_failed" for entry in said)

                await until(failed)
            finally:
                await change(owner, "alter table switch_away rename to switch")
        await in_state(owner, made, "done")


async def test_a_settle_waits_for_a_database_that_is_away(
    web: Database, worker: Database, owner: Database, tmp_path: Path
) -> None:
    """E2: what was done is written down when the database is back, not done again."""
    log, gate = tmp_path / "log", tmp_path / "gate"
    made = await put(web, Note("x", str(log), str(gate)))
    async with working(worker) as loop:
        await written(log, "begin")
        url = worker.url
        broken = Database(
            url.replace("127.0.0.1", "127.0.0.9").rsplit("/", 1)[0] + "/nowhere", "godwit_worker"
        )
        loop.database = broken
        gate.touch()
        await written(log, "end")

        async def tries() -> bool:
            return loop.busy and (await job(owner, made)).state == "leased"

        await until(tries)
        loop.database = worker
        await in_state(owner, made, "done")
        await broken.close()
    assert len(lines(log)) == 2
