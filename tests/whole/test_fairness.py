"""Who has 500 readers does not wait behind 20,000 (L9), and an account's own rate holds."""

import asyncio
import time
from uuid import uuid4

import pytest

from app.base.settings import settings
from app.ledger import mailing_view
from app.ledger.feeder import DeliverSends, Demand, share_out
from app.ledger.turns import reserve_turn
from app.limits import allow
from tests.ledger.makers import audience_of, build, figures_of, mailing_to, permit, working
from tests.waiting import until

pytestmark = pytest.mark.anyio
_CALLS = "select min(called_at) as first, max(called_at) as last from batch where mailing_id = :mailing"
_MEANWHILE = """
select coalesce(sum(size), 0) from batch
where mailing_id = :mailing and called_at between :first and :last
"""


async def test_500_readers_are_done_while_20_000_have_had_as_many(web, worker, monkeypatch, capsys):
    """L9: at 200 a second, the large one well under way before the small one starts; prints the seconds."""
    monkeypatch.setenv("GODWIT_SEND_RATE", "200")
    settings.cache_clear()
    large, small = await audience_of(web, 20_000), await audience_of(web, 500)
    first = await mailing_to(web, large)
    await build(worker, large, first)
    async with working(worker):

        async def under_way():
            return (await figures_of(worker, large, first)).sent >= 400

        await until(under_way)
        began = time.monotonic()
        before = (await figures_of(worker, large, first)).sent
        second = await mailing_to(web, small)
        await build(worker, small, second)

        async def done():
            async with worker.transaction(small.account_id) as tx:
                view = await mailing_view(tx, second)
            assert view is not None
            return view if view.state == "finished" else None

        view = await until(done, seconds=30)
        seconds = time.monotonic() - began
    behind = await figures_of(worker, large, first)
    async with worker.transaction(small.account_id) as tx:
        calls = await tx.row(_CALLS, mailing=second)
    assert calls is not None
    async with worker.transaction(large.account_id) as tx:
        meanwhile = await tx.value(_MEANWHILE, mailing=first, first=calls.first, last=calls.last)
    with capsys.disabled():
        print(
            f"\n500 were done {seconds:.1f} s after they started; of 20,000 {behind.sent:,} were sent by"
            f" then, {meanwhile:,} of them between the first and the last call for the 500"
        )
    assert view.figures.sent == 500
    # In turns: the large one got some as well meanwhile, and is nowhere near its end.
    assert behind.sent - before < 10_000
    # At most as many as the small one, and the leave for two seconds that was out before it began.
    assert meanwhile <= 900


async def test_an_accounts_own_rate_holds_whatever_the_platform_allows(web, worker):
    """L9: the bucket at the call gives no more than the account may send; refusing takes nothing."""
    audience = await audience_of(web, 1)
    async with web.transaction(audience.account_id) as tx:
        await tx.execute("update account set send_rate = 5 where id = :id", id=audience.account_id)
    mailing = await mailing_to(web, audience)
    work = await permit(worker, audience, DeliverSends(mailing, 100))
    assert await reserve_turn(work, 100) == 0
    assert [await reserve_turn(work, 50) for _ in range(3)] == [None] * 3
    wait = await reserve_turn(work, 10)
    assert wait is not None
    assert 1 < wait <= 2


async def test_a_platform_that_refuses_gives_the_account_its_leave_back(web, worker, monkeypatch):
    """Both buckets give, or neither does."""
    monkeypatch.setenv("GODWIT_SEND_RATE", "1")
    settings.cache_clear()
    audience = await audience_of(web, 1)
    async with web.transaction(audience.account_id) as tx:
        await tx.execute("update account set send_rate = 1000 where id = :id", id=audience.account_id)
    mailing = await mailing_to(web, audience)
    work = await permit(worker, audience, DeliverSends(mailing, 100))
    assert await reserve_turn(work, 100) == 0
    assert await asyncio.gather(*(reserve_turn(work, 100) for _ in range(3))) == [None] * 3
    async with worker.transaction() as tx:
        left = await tx.value(
            "select tokens from limit_bucket where name = :name", name=f"sends:account:{audience.account_id}"
        )
    assert left == pytest.approx(900), "only the leave that was used is gone"


async def test_turns_are_taken_first_come_first_served(web, worker, monkeypatch):
    """L9: one permit of a small account waits behind those before it, never behind those after it."""
    monkeypatch.setenv("GODWIT_SEND_RATE", "200")
    settings.cache_clear()
    large, small = await audience_of(web, 1), await audience_of(web, 1)
    many = await permit(worker, large, DeliverSends(await mailing_to(web, large), 100))
    few = await permit(worker, small, DeliverSends(await mailing_to(web, small), 100))
    waits = [await reserve_turn(work, 100) for work in (many, many, many, few, many)]
    assert None not in waits
    assert waits == sorted(waits, key=float), "each one's turn is after those who asked before"
    assert 0.8 < waits[3] <= 1.0


async def test_who_cannot_go_for_long_gives_the_leave_back(web, worker, owner, monkeypatch):
    """L9: leave that waits for a slow rate is no leave beside which more is granted."""
    audience = await audience_of(web, 20)
    async with web.transaction(audience.account_id) as tx:
        await tx.execute("update account set send_rate = 0.1 where id = :id", id=audience.account_id)
    mailing = await mailing_to(web, audience)
    await build(worker, audience, mailing)
    async with worker.transaction() as tx:
        await allow(tx, f"sends:account:{audience.account_id}", 0.1, 100, cost=100)

    async def states() -> list[str]:
        async with owner.transaction() as tx:
            return [row.state for row in await tx.rows("select state from job where kind = 'deliver_sends'")]

    async def three_came_and_went() -> bool:
        return (await states()).count("done") >= 3

    async with working(worker, ("sends",)):
        await until(three_came_and_went)
    assert len([state for state in await states() if state != "done"]) <= 1, "one at a time is out"
    assert (await figures_of(worker, audience, mailing)).sent == 0


def test_an_account_is_granted_two_seconds_of_its_rate_and_no_more():
    """L9: leave that is out already counts."""
    mailing = uuid4()
    assert share_out(10_000, [Demand(1, mailing, 5_000, 0, 50.0)]) == {mailing: 50}
    assert share_out(10_000, [Demand(1, mailing, 5_000, 80, 50.0)]) == {mailing: 20}
    assert share_out(10_000, [Demand(1, mailing, 5_000, 100, 50.0)]) == {}
