"""The database goes away with an answer in hand: it is said again, while the lease lasts: L1, L4, L7."""

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from app.base.database import Database
from app.base.errors import Unavailable
from app.ledger import delivery
from app.ledger.feeder import DeliverSends
from app.mail import Accepted, Misconfigured, NotReached, Refused, Split, Throttled, Unknown
from app.testing.faults import cut_connections
from tests.ledger.makers import Told, figures_of, permit, started
from tests.line import COMMIT, Line
from tests.waiting import until

pytestmark = pytest.mark.anyio
_WAITS = "select count(*) > 0 from pg_locks where relation = 'batch'::regclass and not granted"
_ANSWERS = {
    "sent": Accepted("<1@example.org>"),
    "failed": Refused("550 5.1.1 no such user", bounced=True),
    "planned": NotReached("no route"),
    "unknown": Unknown("the line was lost"),
}


async def in_hand(web: Database, worker: Database, n: int = 1):
    """A call for `n` copies whose answer is about to be written down."""
    audience, mailing = await started(web, worker, n)
    work = await permit(worker, audience, DeliverSends(mailing, n))
    batch = await delivery.claim(work, DeliverSends(mailing, n), Told())
    assert batch is not None
    return audience, mailing, work, batch


@asynccontextmanager
async def cut_in_the_middle(owner: Database):
    """Whoever begins inside to settle a batch is cut off in that statement; at the end the way is free."""
    async with owner.transaction() as tx:
        await tx.execute("lock table batch in share row exclusive mode")
        cut = asyncio.create_task(_cut(owner))
        yield
        await cut


async def _cut(owner: Database) -> None:
    async def waits() -> bool:
        async with owner.transaction() as tx:
            return await tx.value(_WAITS)

    await until(waits)
    assert await cut_connections() > 0


async def settled_through_a_cut(owner: Database, work, batch, outcome) -> None:
    async with cut_in_the_middle(owner):
        settling = asyncio.create_task(delivery.settle(work, batch, outcome, Told()))
    await settling


@pytest.mark.parametrize("becomes", _ANSWERS)
async def test_cut_off_in_the_middle_an_answer_is_said_again(web, worker, owner, becomes: str) -> None:
    """L4: what is known does not become unknown; L7: counted once."""
    audience, mailing, work, batch = await in_hand(web, worker)
    await settled_through_a_cut(owner, work, batch, _ANSWERS[becomes])
    figures = await figures_of(worker, audience, mailing)
    assert (getattr(figures, becomes), figures.audience) == (1, 1)
    async with worker.transaction(audience.account_id) as tx:
        bounces = await tx.value("select count(*) from job where kind = 'address_bounced'")
        assert bounces == int(becomes == "failed")
        lost = await tx.value("select not_reached from mailing")
        assert lost == int(becomes == "planned")


async def test_without_a_free_connection_it_waits_for_one(web, worker, monkeypatch) -> None:
    """A pool that is full for longer than anybody waits is no reason to forget."""
    audience, mailing, work, batch = await in_hand(web, worker, 2)
    monkeypatch.setattr(worker.pool, "longest_wait", 0.05)
    waited = worker.pool.acquire
    refused = asyncio.Event()

    async def acquire(begin: str):
        try:
            return await waited(begin)
        except Exception:
            refused.set()
            raise

    monkeypatch.setattr(worker.pool, "acquire", acquire)
    others = [worker.transaction() for _ in range(worker.pool.most)]
    for other in others:
        await other.__aenter__()
    settling = asyncio.create_task(delivery.settle(work, batch, Accepted(), Told()))
    await refused.wait()
    for other in others:
        await other.__aexit__(None, None, None)
    await settling
    assert (await figures_of(worker, audience, mailing)).sent == 2


async def test_after_the_lease_it_is_said_once_and_no_more(web, worker, owner) -> None:
    """E4: who froze past its lease still says what it knows; who fails then leaves it to the sweep."""
    audience, mailing, work, batch = await in_hand(web, worker)
    late = replace(batch, held_until=asyncio.get_running_loop().time() - 1)
    with pytest.raises(Unavailable):
        await settled_through_a_cut(owner, work, late, Accepted())
    assert (await figures_of(worker, audience, mailing)).sending == 1
    await delivery.settle(work, late, Accepted(), Told())
    assert (await figures_of(worker, audience, mailing)).sent == 1


async def test_the_time_in_which_it_is_said_again_is_the_leases(web, worker) -> None:
    """By the database's clock, read with the claim."""
    _, _, work, batch = await in_hand(web, worker)
    async with worker.transaction() as tx:
        left = await tx.value(
            "select extract(epoch from leased_until - clock_timestamp()) from job where id = :id",
            id=work.job.id,
        )
    assert abs(batch.held_until - asyncio.get_running_loop().time() - float(left)) < 1


@pytest.mark.parametrize(
    ("outcome", "becomes"),
    [
        (Accepted(), "sent"),
        (Refused("550 5.1.1 no such user", bounced=True), "failed"),
        (NotReached("no route"), "planned"),
        (Split("one is bad"), "planned"),
        (Throttled("slow down"), "planned"),
        (Misconfigured("wrong key"), "failed"),
    ],
)
async def test_what_was_committed_though_nobody_was_told_counts_once(
    web, worker, outcome, becomes: str
) -> None:
    """L7: the answer to the commit is lost on the way; said again, nothing moves and nothing counts anew."""
    audience, mailing, work, batch = await in_hand(web, worker, n := 1 if isinstance(outcome, Refused) else 8)
    async with Line(worker.url).open() as line:
        work.database, line.cut_at = Database(line.url, "godwit_worker", 1), COMMIT
        await delivery.settle(work, batch, outcome, Told())
        assert line.cut_at is None
        await work.database.close()
    figures = await figures_of(worker, audience, mailing)
    assert (getattr(figures, becomes), figures.audience) == (n, n)
    async with worker.transaction(audience.account_id) as tx:
        row = await tx.row("select not_reached, call_size from mailing")
        bounces = await tx.value("select count(*) from job where kind = 'address_bounced'")
    assert row is not None
    assert row.not_reached == int(isinstance(outcome, NotReached))
    assert row.call_size == (4 if isinstance(outcome, Split) else None)
    assert bounces == int(isinstance(outcome, Refused))
