"""E10: one bad job, kind or account does not slow the others, least of all a sign-in code."""

import statistics
import time
from pathlib import Path

import pytest

from app.base.database import Database
from app.jobs import Order, enqueue_many
from app.messages import SignInCode, queue_message
from tests.jobs.kinds import Kill, Raise
from tests.jobs.makers import change, real_worker, until, worker_process

pytestmark = pytest.mark.usefixtures("accounts")
FILL = """
insert into job (account_id, queue, kind, args, share, on_unknown)
select 7, :queue, 'test_raise', '{"message": "boom"}', '7', 'held' from generate_series(1, 200000)
"""
_CODES = "select count(*) from mailbox.mail where kind = 'code'"


async def value(owner: Database, statement: str) -> int:
    async with owner.transaction() as tx:
        return await tx.value(statement)


async def seconds_until_mailed(web: Database, owner: Database) -> float:
    """From the commit of a code to its being with the provider."""
    before = await value(owner, _CODES)
    async with web.transaction() as tx:
        at = await tx.value("select godwit_now() + interval '10 minutes'")
        await queue_message(tx, SignInCode("ana@example.org", "123456", 10, "http://x/", at))
    began = time.monotonic()

    async def there() -> bool:
        return await value(owner, _CODES) > before

    await until(there)
    return time.monotonic() - began


async def test_a_code_arrives_within_a_second_beside_everything_bad(
    web: Database, owner: Database, tmp_path: Path
) -> None:
    """E10, and what issue 3 must show (4): a kind that always raises, one that kills its worker, an account
    with 200,000 ready jobs in the bulk queues and as many in the codes' own queue."""
    await change(owner, FILL, queue="webhooks")
    await change(owner, FILL, queue="codes_creators")
    async with web.transaction(account_id=8) as tx:
        await enqueue_many(tx, [Order(Raise("bang")), Order(Kill(str(tmp_path / "killed")))])
    with (
        real_worker("codes_creators", "codes_readers", "messages"),
        worker_process("payments") as dying,
        worker_process("webhooks"),
    ):
        assert dying.wait(30) < 0

        async def raising() -> bool:
            return await value(owner, "select count(*) from job where reason = 'ValueError: boom'") > 3

        await until(raising)
        await seconds_until_mailed(web, owner)  # the worker has started
        took = [await seconds_until_mailed(web, owner) for _ in range(5)]
        assert await value(owner, "select count(*) from job where state = 'ready'") > 300_000
    assert statistics.median(took) < 1, took
