"""What is kept and told of deliveries: counts, health, the release, and what goes after thirty days."""

from datetime import UTC

import pytest

from app import webhooks
from app.base.database import Database
from app.fakes.receiver import Reply
from app.jobs import enqueue_platform
from app.webhooks import DeliveryState, PruneWebhooks
from tests.jobs.makers import working
from tests.waiting import until
from tests.webhooks.conftest import Receiver
from tests.webhooks.makers import an_account, an_endpoint, in_states, lines, rows, tell, tried

BOOKS = "(select count(*) from event) as events, (select count(*) from delivery) as deliveries"


@pytest.fixture(autouse=True)
async def account(owner: Database) -> int:
    return await an_account(owner)


async def pruned(worker: Database, owner: Database, later: str) -> None:
    """Let so much time pass, and prune."""
    async with owner.transaction() as tx:
        await tx.execute(f"update clock set ahead = ahead + interval '{later}'")
    async with worker.transaction() as tx:
        await enqueue_platform(tx, PruneWebhooks())
    async with working(worker, "housekeeping"):
        await until(lambda: _idle(owner))


async def _idle(owner: Database) -> bool:
    (row,) = await rows(
        owner, "select count(*) as n from job where kind = 'prune_webhooks' and state <> 'done'"
    )
    return row.n == 0


async def test_old_events_go_with_their_deliveries_and_what_waits_for_them_ends(
    web: Database, worker: Database, owner: Database, receiver: Receiver
) -> None:
    """Kept for 30 days; a delivery that waits longer, as for a paused endpoint, ends with the reason."""
    made, _ = await an_endpoint(web, url=receiver.url)
    receiver.script.replies += [Reply(200), Reply(404)]
    async with working(worker, "webhooks"):
        for states in (["delivered"], ["delivered", "failed"]):
            await tell(web)
            await in_states(web, made.id, *states)
        async with web.transaction(7) as tx:
            await webhooks.pause_endpoint(tx, made.id)
        await tell(web)
        await in_states(web, made.id, "delivered", "failed", "held")
    await pruned(worker, owner, "29 days")
    (kept,) = await rows(owner, f"select {BOOKS}")
    assert (kept.events, kept.deliveries) == (3, 3)
    await pruned(worker, owner, "2 days")
    (kept,) = await rows(owner, f"select {BOOKS}")
    assert (kept.events, kept.deliveries) == (0, 0)
    found = await rows(owner, "select state, reason from job where kind = 'deliver_webhook' order by id")
    assert [tuple(row) for row in found] == [("discarded", "its event is older than it is kept")]
    assert await lines(web, made.id) == []
    async with web.transaction(7) as tx:
        assert set((await webhooks.delivery_counts(tx, made.id)).values()) == {0}


async def test_a_deleted_endpoint_goes_once_nothing_names_it(
    web: Database, worker: Database, owner: Database, receiver: Receiver
) -> None:
    made, _ = await an_endpoint(web, url=receiver.url)
    kept, _ = await an_endpoint(web, url=receiver.url)
    async with working(worker, "webhooks"):
        await tell(web)
        await in_states(web, made.id, "delivered")
    async with web.transaction(7) as tx:
        await webhooks.delete_endpoint(tx, made.id)
    await pruned(worker, owner, "31 days")
    assert [row.id for row in await rows(owner, "select id from endpoint")] == [kept.id]


async def test_counts_health_and_the_releases_page_tell_the_same(
    web: Database, worker: Database, receiver: Receiver
) -> None:
    made, _ = await an_endpoint(web, url=receiver.url)
    receiver.script.replies += [Reply(200), Reply(404), Reply(500)]
    async with working(worker, "webhooks"):
        await tell(web, "release.published", {"release": 1}, release=1)
        await in_states(web, made.id, "delivered")
        await tell(web)
        await in_states(web, made.id, "delivered", "failed")
        await tell(web)
        await tried(web, made.id, 1)
    async with web.transaction(7) as tx:
        counts = await webhooks.delivery_counts(tx, made.id)
        health = await webhooks.health(tx, made.id)
        (line,) = await webhooks.deliveries_of_release(tx, 1)
        assert not await webhooks.untold(tx, 1)
        failed = await webhooks.deliveries(tx, made.id, webhooks.Wanted(state="failed"))
        posts = await webhooks.deliveries(tx, made.id, webhooks.Wanted(type="post.published"))
        first = await webhooks.deliveries(tx, made.id, most=1)
        rest = await webhooks.deliveries(tx, made.id, before=first[0].id)
        told = await webhooks.endpoint(tx, made.id)
    assert counts == {str(state): 0 for state in DeliveryState} | {"delivered": 1, "failed": 1, "retrying": 1}
    assert len(health) == 24
    assert [one.at.astimezone(UTC).minute for one in health] == [0] * 24
    assert (sum(one.delivered for one in health), sum(one.failed for one in health)) == (1, 2)
    assert (line.state, line.release, line.endpoint, line.url) == ("delivered", 1, made.id, made.url)
    assert (len(failed), len(posts), len(first), len(rest)) == (1, 2, 1, 2)
    assert told is not None
    assert told.last_delivered_at == line.delivered_at


async def test_a_release_is_untold_until_it_has_its_number(web: Database) -> None:
    await an_endpoint(web)
    await tell(web, "release.published", {"release": 4}, release=4)
    async with web.transaction(7) as tx:
        assert await webhooks.untold(tx, 4)
        assert not await webhooks.untold(tx, 5)
        assert await webhooks.deliveries_of_release(tx, 4) == []
