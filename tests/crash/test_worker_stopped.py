"""The worker is killed and told to stop in turn, twenty times in mid-broadcast: exactly once (E9, L1-L4)."""

import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from app.base.database import Database
from app.base.settings import Settings
from app.ledger import mailing_view
from tests.crash.scenario import LONG, WorkerUnderTest, calling_batch, copies, slow_provider
from tests.ledger.makers import audience_of, build, mailing_to
from tests.waiting import until

pytestmark = pytest.mark.anyio
READERS, STOPS = 1846, 20
#: The longest call over HTTP, here ten seconds, and fifteen more.
GRACE = 25.0
_NOW = "select clock_timestamp()"
_UNSETTLED = "select count(*) from batch where state in ('calling', 'unknown') and called_at > :since"
_LEASED = (
    "select count(*) from job where state = 'leased' and leased_by like '%:' || cast(:pid as text) || ':%'"
)


async def test_kills_and_stops_in_turn_lose_nobody_and_double_nobody(
    crash_env: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    """E9, L1, L2, L3, L4 ("It must show" 3): SIGTERM leaves no call without its answer and no job in hand."""
    web, worker = Database.for_role("web"), Database.for_role("worker")
    owner = Database(crash_env.database.owner_url, "godwit_owner", 2)
    await slow_provider(web, 0.3)
    audience = await audience_of(web, READERS)
    mailing = await mailing_to(web, audience)
    await build(worker, audience, mailing)
    victim = WorkerUnderTest(tmp_path / "worker.log")
    longest, left = 0.0, Counter[str]()

    async def asked(question: str, **about: object) -> Any:
        async with owner.transaction() as tx:
            return await tx.value(question, **about)

    try:
        for number in range(1, STOPS + 1):
            since = await asked(_NOW)
            victim.start()
            await calling_batch(owner, victim.pid)
            pid, began = str(victim.pid), time.monotonic()
            if number % 2:
                victim.kill()
                left["killed, calls without an answer"] += await asked(_UNSETTLED, since=since)
                continue
            assert await victim.stop() == 0
            longest = max(longest, time.monotonic() - began)
            left["stopped, jobs it held on to"] += await asked(_LEASED, pid=pid)
            left["stopped, calls without an answer"] += await asked(_UNSETTLED, since=since)
        victim.start()

        async def audited():
            async with worker.transaction(audience.account_id) as tx:
                view = await mailing_view(tx, mailing)
            assert view is not None
            assert sum(vars(view.figures).values()) == READERS
            return view if view.audited_at else None

        view = await until(audited, seconds=LONG)
        assert await victim.stop() == 0
    finally:
        if victim.process and victim.process.poll() is None:
            victim.kill()
    with capsys.disabled():
        print(f"\n{dict(left)}; the longest stop took {longest:.1f} s; {view.figures}; audit {view.audit}")
    assert longest < GRACE
    assert left["stopped, jobs it held on to"] == left["stopped, calls without an answer"] == 0
    assert left["killed, calls without an answer"] >= STOPS // 4
    assert Counter((await copies(owner)).values()) == {1: READERS}
    assert (view.state, view.figures.sent) == ("finished", READERS)
    assert view.audit is not None
    assert view.audit["balanced"] is True
    for database in (web, worker, owner):
        await database.close()
