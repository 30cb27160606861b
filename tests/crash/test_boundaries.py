"""A worker dies or freezes exactly where a step is committed or about to be: one mail a reader (L1-L4)."""

import asyncio
import signal
import time
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from app.base.database import Database
from app.base.settings import Settings, settings
from app.ledger import mailing_view
from app.testing.faults import add_fault, order_of
from tests.crash.scenario import LONG, WorkerUnderTest, copies
from tests.ledger.makers import Audience, audience_of, build, mailing_to
from tests.waiting import until

pytestmark = pytest.mark.anyio
READERS = 200
#: Short patience, so that what a dead worker left is taken up soon.
HASTY = {
    "GODWIT_SEND_TIMEOUT": "3",
    "GODWIT_WEBHOOK_TIMEOUT": "3",
    "GODWIT_LEASE": "9",
    "GODWIT_TRUST_WINDOW": "30",
}
BOUNDARIES = [
    *(("jobs", at) for at in ("after_claim", "before_settle", "after_settle")),
    *(("ledger", at) for at in ("after_claim", "after_talk", "before_settle", "after_settle")),
]


class Scene:
    """A mailing whose audience is known, one worker at a time, and eyes on the books."""

    def __init__(self, told: Settings, folder: Path) -> None:
        self.web, self.worker = Database.for_role("web"), Database.for_role("worker")
        self.owner = Database(told.database.owner_url, "godwit_owner", 2)
        self.victim = WorkerUnderTest(folder / "worker.log")
        self.audience: Audience
        self.mailing: Any = None

    async def begin(self) -> None:
        """Record the audience; nobody works yet."""
        self.audience = await audience_of(self.web, READERS)
        self.mailing = await mailing_to(self.web, self.audience)
        await build(self.worker, self.audience, self.mailing)

    async def order(self, kind: str, place: str, at: str) -> None:
        """Let whoever comes to this boundary next while delivering be struck, once."""
        told = {"target": "worker", "kind": kind, "at": at, "match": {"in": place, "job": "deliver_sends"}}
        async with self.web.transaction() as tx:
            await add_fault(tx, order_of(told))

    async def fired(self) -> list[int]:
        """How often each fault struck."""
        async with self.owner.transaction() as tx:
            return [row.fired for row in await tx.rows("select fired from mailbox.fault order by id")]

    async def audited(self, seconds: float) -> Any:
        """Wait until the books are compared; the figures add up at every look (L7)."""

        async def compared() -> Any:
            async with self.worker.transaction(self.audience.account_id) as tx:
                view = await mailing_view(tx, self.mailing)
            assert view is not None
            figures = view.figures
            told = figures.planned + figures.sending + figures.sent + figures.unknown
            assert told + figures.failed + figures.skipped == READERS
            return view if view.audited_at else None

        return await until(compared, seconds=seconds)

    async def is_exactly_once(self, view: Any) -> None:
        """Nobody got two, nobody none, and the books know it."""
        assert Counter((await copies(self.owner)).values()) == {1: READERS}
        assert (view.state, view.figures.sent) == ("finished", READERS)
        assert view.audit["balanced"] is True


@pytest.fixture
async def scene(crash_env: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Scene]:
    for name, value in HASTY.items():
        monkeypatch.setenv(name, value)
    settings.cache_clear()
    made = Scene(settings(), tmp_path)
    await made.begin()
    yield made
    if made.victim.process and made.victim.process.poll() is None:
        made.victim.kill()
    for database in (made.web, made.worker, made.owner):
        await database.close()


async def test_killed_once_at_every_boundary_everybody_gets_one(scene: Scene) -> None:
    """L1, L3, L4, E2, E4: after claim and talk, before and after the settle, of job and batch."""
    for number, (place, at) in enumerate(BOUNDARIES):
        await scene.order("kill", place, at)
        scene.victim.start()
        assert await ended(scene.victim) == -signal.SIGKILL, f"{at} in {place} was never reached"
        assert await scene.fired() == [1] * (number + 1)
    scene.victim.start()
    view = await scene.audited(seconds=LONG)
    assert await scene.victim.stop() == 0
    await scene.is_exactly_once(view)


async def test_a_worker_that_froze_before_its_settle_changes_nothing_when_it_wakes(
    scene: Scene, tmp_path: Path
) -> None:
    """E3, E4, L1: its lease ran out, another settled by the record; what it brings is late and dropped."""
    await scene.order("stop", "ledger", "before_settle")
    scene.victim.start()

    async def frozen() -> bool:
        return await scene.fired() == [1]

    await until(frozen, seconds=LONG)
    other = WorkerUnderTest(tmp_path / "other.log")
    other.start()
    try:
        await scene.audited(seconds=LONG)
        assert scene.victim.process is not None
        scene.victim.process.send_signal(signal.SIGCONT)
        assert await scene.victim.stop() == 0
    finally:
        assert await other.stop() == 0
    await scene.is_exactly_once(await scene.audited(seconds=10))


async def ended(worker: WorkerUnderTest) -> int:
    """Wait until the process is gone; its status, negative for a signal."""
    deadline = time.monotonic() + LONG
    assert worker.process is not None
    while (status := worker.process.poll()) is None:
        assert time.monotonic() < deadline, "it lives on"
        await asyncio.sleep(0.02)
    return status
