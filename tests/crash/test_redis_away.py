"""Redis goes away in mid-broadcast, comes back empty, is flushed: it only rings the bell (E2)."""

from collections import Counter
from pathlib import Path

import httpx
import pytest
import redis

from app.base.database import Database
from app.base.settings import Settings, settings
from app.cli.services import Services
from app.ledger import Figures
from tests.crash.scenario import LONG, WorkerUnderTest, copies, slow_provider
from tests.ledger.makers import Audience, audience_of, build, figures_of, mailing_to, state_of
from tests.waiting import until
from tests.web_server import as_if_a_worker_lived, serving

READERS = 600


async def sent_more_than(worker: Database, audience: Audience, mailing, n: int) -> Figures:
    """Wait until more than `n` copies are sent."""

    async def look() -> Figures | None:
        figures = await figures_of(worker, audience, mailing)
        assert figures.audience == READERS
        return figures if figures.sent > n else None

    return await until(look, seconds=LONG)


async def test_a_broadcast_goes_on_while_redis_is_away_and_after_it_was_flushed(
    crash_env: Settings, services: Services, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """E2: studio and site answer, nobody is lost, nobody gets two."""
    monkeypatch.setenv("GODWIT_SEND_RATE", "100")
    settings.cache_clear()
    web, worker = Database.for_role("web"), Database.for_role("worker")
    owner = Database(crash_env.database.owner_url, "godwit_owner", 2)
    await slow_provider(web, 0.1)
    audience = await audience_of(web, READERS)
    mailing = await mailing_to(web, audience)
    await build(worker, audience, mailing)
    async with web.transaction(audience.account_id) as tx:
        slug = await tx.value("select slug from account where id = :id", id=audience.account_id)
    sender = WorkerUnderTest(tmp_path / "worker.log")
    assert services.redis is not None
    async with serving() as address:
        sender.start()
        try:
            await sent_more_than(worker, audience, mailing, 0)
            services.redis.stop()
            await as_if_a_worker_lived(worker)  # health asks for one of each queue
            async with httpx.AsyncClient(base_url=address, timeout=10) as client:
                for path, host in (("/readyz", None), ("/sign-in", None), ("/", f"{slug}.localhost")):
                    answer = await client.get(path, headers={"Host": host} if host else {})
                    assert answer.status_code == 200, path
            before = (await figures_of(worker, audience, mailing)).sent
            await sent_more_than(worker, audience, mailing, before + 50)
            services.redis.start()
            redis.Redis.from_url(services.redis_url).flushall()
            await until(lambda: finished(worker, audience, mailing), seconds=LONG)
            assert await sender.stop() == 0
        finally:
            if sender.process and sender.process.poll() is None:
                sender.kill()
    assert Counter((await copies(owner)).values()) == {1: READERS}
    for database in (web, worker, owner):
        await database.close()


async def finished(worker: Database, audience: Audience, mailing) -> bool:
    """Whether the mailing is over."""
    return await state_of(worker, audience, mailing) == "finished"
