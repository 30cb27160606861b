"""E7: of an endpoint no older release is begun after a newer one, but for what a person asked for."""

import asyncio
from datetime import timedelta
from functools import partial

import pytest
from standardwebhooks.webhooks import Webhook

from app import webhooks
from app.base.database import Database
from app.base.errors import Conflict, NotFound
from app.fakes.receiver import Reply
from app.webhooks.fanning import fan_out_some
from tests.jobs.makers import change, working
from tests.waiting import until
from tests.webhooks.conftest import Receiver
from tests.webhooks.makers import an_account, an_endpoint, due_now, in_states, lines, rows, tell, tried, whole


@pytest.fixture(autouse=True)
async def account(owner: Database) -> int:
    return await an_account(owner)


async def published(web: Database, *releases: int) -> None:
    for release in releases:
        await tell(web, "release.published", {"release": release}, release=release)


async def test_with_no_worker_at_work_only_the_newest_release_goes(
    web: Database, worker: Database, receiver: Receiver
) -> None:
    """E7, and the older says by which it is skipped."""
    made, _ = await an_endpoint(web, url=receiver.url)
    await published(web, 1, 2, 3)
    async with working(worker, "webhooks"):
        first, second, third = await in_states(web, made.id, "superseded", "superseded", "delivered")
    assert [call.header("godwit-sequence") for call in receiver.script.calls] == ["3"]
    assert (first.superseded_by, second.superseded_by, third.superseded_by) == (3, 3, None)
    assert first.reason == "superseded by the newer number 3"
    assert first.attempts == 0


async def test_by_which_release_one_was_skipped_stands_whatever_is_published_or_said_later(
    web: Database, worker: Database, owner: Database, receiver: Receiver
) -> None:
    """A number beside the sentence, not read out of it."""
    made, _ = await an_endpoint(web, url=receiver.url)
    await published(web, 1, 2)
    async with working(worker, "webhooks"):
        await in_states(web, made.id, "superseded", "delivered")
        await published(web, 3)
        await in_states(web, made.id, "superseded", "delivered", "delivered")
    await change(owner, "update job set reason = 'in other words' where state = 'superseded'")
    first, _, third = await lines(web, made.id)
    assert (first.reason, first.superseded_by, third.superseded_by) == ("in other words", 2, None)


async def test_an_older_release_that_waits_for_its_next_try_is_skipped_at_once(
    web: Database, worker: Database, owner: Database, receiver: Receiver
) -> None:
    """E7: seen by the page before any worker looks."""
    made, _ = await an_endpoint(web, url=receiver.url)
    receiver.script.replies.append(Reply(500))
    async with working(worker, "webhooks"):
        await published(web, 1)
        await tried(web, made.id, 1)
    await published(web, 2)
    async with worker.transaction(7) as tx:
        await fan_out_some(tx)
    older, newer = await lines(web, made.id)
    assert (older.state, older.superseded_by, older.next_at) == ("superseded", 2, None)
    assert newer.state == "pending"
    await due_now(owner)
    async with working(worker, "webhooks"):
        await in_states(web, made.id, "superseded", "delivered")
    assert [call.header("godwit-sequence") for call in receiver.script.calls] == ["1", "2"]


async def test_a_newer_release_waits_for_the_older_that_is_being_sent(
    web: Database, worker: Database, receiver: Receiver
) -> None:
    """E7, E3: one of a lane at a time; other events of the endpoint do not wait for it."""
    made, _ = await an_endpoint(web, url=receiver.url)
    receiver.script.replies.append(Reply(200, delay=0.7))
    async with working(worker, "webhooks"):
        await published(web, 1)

        async def there() -> bool:
            return len(receiver.script.calls) == 1

        await until(there)
        await published(web, 2)
        await tell(web)
        await in_states(web, made.id, "delivered", "delivered", "delivered")
    assert [call.header("godwit-sequence") for call in receiver.script.calls] == ["1", "3", "2"]


async def test_lanes_are_those_of_an_endpoint(web: Database, worker: Database, receiver: Receiver) -> None:
    """An endpoint that is behind does not keep others from the release, nor the other way round."""
    one, _ = await an_endpoint(web, url=receiver.url)
    other, _ = await an_endpoint(web, url=receiver.url)
    async with working(worker, "webhooks"):
        await published(web, 1)
        await in_states(web, one.id, "delivered")
        await in_states(web, other.id, "delivered")


async def test_a_release_that_is_delivered_again_goes_outside_the_lane_with_the_same_bytes(
    web: Database, worker: Database, receiver: Receiver
) -> None:
    """W2, E7: same id, same bytes, `Godwit-Redelivery`, also when a newer one has gone."""
    made, secret = await an_endpoint(web, url=receiver.url)
    async with working(worker, "webhooks"):
        await published(web, 1)
        (old,) = await in_states(web, made.id, "delivered")
        await published(web, 2)
        await in_states(web, made.id, "delivered", "delivered")
        for _ in range(2):
            async with web.transaction(7) as tx:
                (again,) = await webhooks.redeliver(tx, [old.id])
            await until(partial(_delivered, web, again))
    calls = [call for call in receiver.script.calls if call.header("webhook-id") == old.event]
    assert [call.header("godwit-redelivery") for call in calls] == ["", "1", "2"]
    assert len({call.body for call in calls}) == 1
    for call in calls:
        Webhook(secret).verify(call.body, dict(call.headers))
    assert [line.redelivery for line in await lines(web, made.id)] == [0, 0, 1, 2]


async def _delivered(web: Database, delivery_id) -> bool:
    return (await whole(web, delivery_id)).line.state == "delivered"


async def test_pressing_twice_orders_one_and_many_at_once_each_one(
    web: Database, worker: Database, receiver
) -> None:
    made, _ = await an_endpoint(web, url=receiver.url)
    async with working(worker, "webhooks"):
        await tell(web)
        await tell(web)
        found = await in_states(web, made.id, "delivered", "delivered")
        async with web.transaction(7) as tx:
            assert len(await webhooks.redeliver(tx, [line.id for line in found] * 2)) == 2
        await in_states(web, made.id, *["delivered"] * 4)


async def test_switched_on_again_it_hears_of_what_is_live_and_of_nothing_older(
    web: Database, worker: Database, owner: Database, receiver: Receiver
) -> None:
    """E7: what was held when it was switched off is skipped by the newest, which nothing was queued of."""
    made, _ = await an_endpoint(web, url=receiver.url)
    receiver.script.replies.append(Reply(500))
    async with working(worker, "webhooks"):
        await published(web, 1)
        await tried(web, made.id, 1)
        async with owner.transaction() as tx:
            await tx.execute("update endpoint set state = 'disabled', reason = 'it failed'")
        await published(web, 2, 3)
        await until(lambda: _numbered(owner, 3))
        async with web.transaction(7) as tx:
            await webhooks.resume_endpoint(tx, made.id)
        found = await in_states(web, made.id, "superseded", "delivered")
    assert [line.release for line in found] == [1, 3]
    assert [call.header("godwit-sequence") for call in receiver.script.calls] == ["1", "3"]


async def test_presses_at_one_instant_each_deliver_again(web: Database) -> None:
    made, _ = await an_endpoint(web)
    await tell(web)
    async with web.transaction(7) as tx:
        (line,) = [await webhooks.send_test(tx, made.id)]

    async def press(which: int) -> None:
        async with web.transaction(7) as tx:
            await webhooks.redeliver(tx, [line]) if which else await webhooks.redeliver_range(
                tx, made.id, webhooks.Range()
            )

    await asyncio.gather(*(press(which) for which in (1, 1, 1, 0, 0)))
    assert sorted(one.redelivery for one in await lines(web, made.id)) == [0, 1, 2, 3]


async def test_a_range_goes_again_also_what_was_never_queued_while_it_was_off(
    web: Database, worker: Database, owner: Database, receiver: Receiver
) -> None:
    """While it is off nothing is queued; a range of time goes again, whatever became of it."""
    made, _ = await an_endpoint(web, "post.published", url=receiver.url)
    async with working(worker, "webhooks"):
        await tell(web, data={"n": 1})
        await in_states(web, made.id, "delivered")
        async with owner.transaction() as tx:
            await tx.execute("update endpoint set state = 'disabled', reason = 'it answered 410'")
        for n in (2, 3):
            await tell(web, data={"n": n})
        await tell(web, "post.unpublished")
        await until(lambda: _numbered(owner, 4))
        assert len(await lines(web, made.id)) == 1
        (one,) = await lines(web, made.id)
        some = webhooks.Range(since=one.delivered_at)
        with pytest.raises(Conflict, match="switched off"):
            async with web.transaction(7) as tx:
                await webhooks.redeliver_range(tx, made.id, some)
        async with web.transaction(7) as tx:
            await webhooks.resume_endpoint(tx, made.id)
            assert await webhooks.range_size(tx, made.id, some) == 2, "what it did not choose is not in it"
            assert await webhooks.redeliver_range(tx, made.id, some) == 2
        found = await in_states(web, made.id, "delivered", "delivered", "delivered")
    assert [line.sequence for line in found] == [1, 2, 3]
    async with web.transaction(7) as tx:
        now = await tx.value("select godwit_now()")
        hour = timedelta(hours=1)
        assert await webhooks.range_size(tx, made.id, webhooks.Range(since=now - hour, until=now + hour)) == 3
        assert await webhooks.range_size(tx, made.id, webhooks.Range(until=now - hour)) == 0


async def _numbered(owner: Database, n: int) -> bool:
    (row,) = await rows(owner, "select count(*) as n from event where sequence is not null")
    return row.n == n


async def test_what_cannot_be_delivered_again_says_why(
    web: Database, worker: Database, receiver: Receiver
) -> None:
    made, _ = await an_endpoint(web, url=receiver.url)
    async with working(worker, "webhooks"):
        await tell(web)
        (line,) = await in_states(web, made.id, "delivered")
    with pytest.raises(NotFound, match="no such delivery"):
        async with web.transaction(8) as tx:
            await webhooks.redeliver(tx, [line.id])
    async with web.transaction(7) as tx:
        await webhooks.delete_endpoint(tx, made.id)
    with pytest.raises(Conflict, match="was deleted"):
        async with web.transaction(7) as tx:
            await webhooks.redeliver(tx, [line.id])
