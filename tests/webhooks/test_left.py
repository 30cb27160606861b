"""What was announced is heard though its fan-out is gone (W1, E2)."""

import pytest

from app.base.database import Database
from app.webhooks.left import EVERY, fan_out_left
from tests.webhooks.makers import an_account, an_endpoint, rows, tell

_FAN_OUTS = "select id, state from job where kind = 'fan_out' order by id"
_TAKEN = """
update job set state = 'leased', leased_by = 'w', leased_until = now(), leased_at = now(), lease = 1
where kind = 'fan_out'
"""
_DEAD = """
update job set state = 'dead', reason = 'so it was said', leased_by = null, leased_until = null,
    leased_at = null
where kind = 'fan_out'
"""


@pytest.fixture(autouse=True)
async def account(owner: Database) -> int:
    await an_account(owner, 8, "eight")
    return await an_account(owner)


async def told_long_ago(web: Database, owner: Database, account: int) -> None:
    await an_endpoint(web, account=account)
    await tell(web, account=account)
    async with owner.transaction() as tx:
        await tx.execute(
            "update event set created_at = created_at - make_interval(secs => :seconds)", seconds=EVERY + 1
        )


@pytest.mark.parametrize("end", ["dead", "discarded"])
async def test_an_event_whose_fan_out_is_gone_gets_another_one(
    web: Database, worker: Database, owner: Database, end: str
) -> None:
    """As long as one waits or runs, none; for the account that lacks it alone; once."""
    await told_long_ago(web, owner, 7)
    assert await fan_out_left(worker) == set(), "its fan-out waits"
    async with owner.transaction() as tx:
        await tx.execute(_TAKEN)
    assert await fan_out_left(worker) == set(), "its fan-out runs"
    async with owner.transaction() as tx:
        await tx.execute(_DEAD)
        if end == "discarded":
            await tx.value("select discard_job(id, 'so it was said') from job where kind = 'fan_out'")
    await told_long_ago(web, owner, 8)
    assert await fan_out_left(worker) == {"webhooks"}
    assert [one.state for one in await rows(owner, _FAN_OUTS)] == [end, "ready", "ready"]
    assert await rows(owner, "select from job where kind = 'fan_out' and account_id = 7 and state = 'ready'")
    assert await fan_out_left(worker) == set()


async def test_an_event_of_this_moment_is_not_taken_for_left(
    web: Database, worker: Database, owner: Database
) -> None:
    """Who announces may not have made its fan-out yet; who numbers may not have committed."""
    await an_endpoint(web)
    await tell(web)
    async with owner.transaction() as tx:
        await tx.value("select discard_job(id, 'so it was said') from job where kind = 'fan_out'")
    assert await fan_out_left(worker) == set()
