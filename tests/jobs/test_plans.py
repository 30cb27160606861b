"""How the statements of every job walk: what they cost must not grow with what lies beside."""

import json
from datetime import UTC, datetime

import pytest

from app.base.database import Database
from app.base.statements import sql
from app.jobs.queue import Order
from tests.jobs.kinds import Answer
from tests.jobs.makers import change
from tests.jobs.test_claim import claim, put_many

pytestmark = pytest.mark.usefixtures("accounts")


async def test_a_settle_looks_at_each_of_its_jobs_by_its_id(
    web: Database, worker: Database, owner: Database
) -> None:
    """Not at all that are leased for each of them: with the statistics of an hour ago these are none."""
    await put_many(web, [Order(Answer("done"), share=str(n % 40)) for n in range(2000)])
    await change(owner, "analyze job")
    leased = await claim(worker, wanted=40, most_leases=100)
    assert len(leased) == 40
    ended = [
        {"id": row.id, "account_id": 7, "lease": row.lease, "number": 1, "started_at": datetime.now(UTC)}
        | {"outcome": "done", "state": "done", "counted": True, "throttled": False, "detail": {}}
        for row in leased
    ]
    async with worker.transaction() as tx:
        plan = await tx.rows(f"explain {sql('app.jobs', 'settle').text}", ended=ended, worker="w")
    told = json.dumps([row[0] for row in plan])
    assert "job_pkey" in told
    assert "job_leased" not in told
