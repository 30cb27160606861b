"""Hundreds and thousands of jobs: E3, E10."""

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from app.base.database import Database
from app.jobs.queue import Order
from tests.jobs.kinds import Answer, Quick, Raise
from tests.jobs.makers import lines, put, until, working
from tests.jobs.test_claim import claim, put_many

pytestmark = pytest.mark.usefixtures("accounts")


async def test_two_loops_hand_out_each_of_500_jobs_once(
    web: Database, worker: Database, owner: Database
) -> None:
    """E3: claims that race never share a job."""
    await put_many(web, [Order(Answer("done"), share=str(n % 20)) for n in range(500)])
    claimed: Counter[int] = Counter()

    async def claims() -> None:
        while rows := await claim(worker, most_leases=1000):
            claimed.update(row.id for row in rows)

    await asyncio.gather(claims(), claims(), claims(), claims())
    assert len(claimed) == 500
    assert set(claimed.values()) == {1}


async def test_5000_ready_jobs_of_one_account_and_a_kind_that_raises_delay_no_other(
    web: Database, worker: Database, owner: Database, tmp_path: Path
) -> None:
    """E10."""
    log = tmp_path / "log"
    await put_many(web, [Order(Raise("boom"))] * 5000)
    async with working(worker, "webhooks"):

        async def one_has_raised() -> int:
            async with owner.transaction() as tx:
                return await tx.value("select count(*) from job where reason = 'ValueError: boom'")

        await until(one_has_raised)
        await put(web, Quick("quick", str(log)), account=8)

        async def there() -> bool:
            return lines(log) == ["quick"]

        await until(there, seconds=2)
    async with owner.transaction() as tx:
        assert await tx.value("select count(*) from job where account_id = 7 and attempts = 0") > 4000
