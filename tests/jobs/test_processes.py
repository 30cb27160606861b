"""A loop and its bell: E2. Workers that are killed and stopped: tests/whole/test_workers.py."""

from pathlib import Path

import pytest
from structlog.testing import capture_logs

from app.base.database import Database
from app.base.settings import settings
from app.jobs import bell
from tests.jobs.kinds import Note
from tests.jobs.makers import change, in_state, put, until, worker_process, working


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
