"""The worker is killed twenty times in mid-broadcast: one mail per reader, nobody missing (L1-L4, E2)."""

from collections import Counter
from pathlib import Path

import pytest

from app.base.database import Database
from app.base.settings import Settings
from app.ledger import mailing_view
from tests.crash.scenario import (
    LONG,
    WorkerUnderTest,
    calling_batch,
    copies,
    kept_batch,
    slow_provider,
    where_it_died,
)
from tests.ledger.makers import audience_of, build, mailing_to
from tests.waiting import until

pytestmark = pytest.mark.anyio
READERS, KILLS = 1846, 20


async def test_twenty_kills_lose_nobody_and_double_nobody(
    crash_env: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    """L1, L2, L3, L4, E2: at least half of the kills land between claim and settle."""
    web, worker = Database.for_role("web"), Database.for_role("worker")
    owner = Database(crash_env.database.owner_url, "godwit_owner", 2)
    await slow_provider(web, 0.3)
    audience = await audience_of(web, READERS)
    mailing = await mailing_to(web, audience)
    await build(worker, audience, mailing)
    victim = WorkerUnderTest(tmp_path / "worker.log")
    hits: Counter[str] = Counter()
    try:
        for number in range(1, KILLS + 1):
            victim.start()
            batch = await calling_batch(owner, victim.pid)
            if number % 2:  # on either side of the moment when the provider takes the mail
                await kept_batch(owner, batch)
            victim.kill()
            hit = await where_it_died(owner, batch)
            hits[hit] += 1
            with capsys.disabled():
                print(f"\nkill {number}: {hit}", end="")
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
        print(f"\n{dict(hits)}; {view.figures}; audit {view.audit}")
    kept = await copies(owner)
    assert Counter(kept.values()) == {1: READERS}
    assert (view.state, view.figures.sent) == ("finished", READERS)
    assert view.audit is not None
    assert view.audit["balanced"] is True
    assert view.audit["provider_lacks"] == 0
    assert hits["claimed, not handed over"] + hits["handed over, not settled"] >= KILLS // 2
    assert min(hits["claimed, not handed over"], hits["handed over, not settled"]) >= 1
    for database in (web, worker, owner):
        await database.close()
