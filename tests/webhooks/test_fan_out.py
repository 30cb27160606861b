"""Fan-out: numbers without a gap, bytes frozen once, one delivery an endpoint, nothing forgotten (W1, E5)."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any
from uuid import UUID

import pytest

from app import webhooks
from app.base.database import Database, Tx
from app.webhooks.fanning import fan_out_some
from tests.jobs.makers import working
from tests.waiting import until
from tests.webhooks.conftest import Receiver
from tests.webhooks.makers import an_account, an_endpoint, in_states, lines, rows, tell


@pytest.fixture(autouse=True)
async def account(owner: Database) -> int:
    await an_account(owner, 8, "eight")
    return await an_account(owner)


async def numbered(owner: Database, n: int) -> list[tuple[int, bytes]]:
    """Wait until so many events have their number; (number, bytes), in order."""

    async def there():
        found = await rows(
            owner, "select sequence, body from event where sequence is not null order by sequence"
        )
        return found if len(found) == n else None

    return [(row.sequence, bytes(row.body)) for row in await until(there)]


async def test_each_endpoint_hears_what_it_chose(web: Database, worker: Database, receiver: Receiver) -> None:
    everything, _ = await an_endpoint(web, url=receiver.url)
    posts, _ = await an_endpoint(web, "post.published", "post.unpublished", url=receiver.url)
    others, _ = await an_endpoint(web, account=8, url=receiver.url)
    async with working(worker, "webhooks"):
        await tell(web, "post.published")
        await tell(web, "reader.erased", {"reader": {"id": "x"}})
        await in_states(web, everything.id, "delivered", "delivered")
        await in_states(web, posts.id, "delivered")
    assert [line.type for line in await lines(web, posts.id)] == ["post.published"]
    assert await lines(web, others.id, account=8) == []


async def test_numbers_have_no_gap_and_bytes_do_not_change(
    web: Database, worker: Database, owner: Database, receiver: Receiver
) -> None:
    """Many announce at once, in two accounts; each account counts for itself."""
    await an_endpoint(web, url=receiver.url)
    await an_endpoint(web, account=8, url=receiver.url)
    async with working(worker, "webhooks"), working(worker, "webhooks"):
        await asyncio.gather(*(tell(web, data={"n": n}, account=7 + n % 2) for n in range(60)))
        found = await numbered(owner, 60)
    assert sorted(number for number, _ in found) == sorted([*range(1, 31)] * 2)
    for number, body in found:
        assert json.loads(body)["sequence"] == number
    assert len({body for _, body in found}) == 60


async def test_what_was_announced_before_an_endpoint_is_not_its(
    web: Database, worker: Database, owner: Database, receiver: Receiver
) -> None:
    await an_endpoint(web, url=receiver.url)
    await tell(web)
    late, _ = await an_endpoint(web, url=receiver.url)
    async with working(worker, "webhooks"):
        await numbered(owner, 1)
        await tell(web)
        await in_states(web, late.id, "delivered")
    (line,) = await lines(web, late.id)
    assert line.sequence == 2


async def test_w1_an_event_that_commits_late_is_not_forgotten(
    web: Database, worker: Database, owner: Database, receiver: Receiver
) -> None:
    """W1: a fan-out that ran meanwhile did not see it; its own job does."""
    made, _ = await an_endpoint(web, url=receiver.url)
    async with working(worker, "webhooks"):
        async with web.transaction(7) as slow:
            await webhooks.announce(slow, webhooks.News("post.published", {"post": "slow"}))
            await tell(web, data={"post": "quick"})
            await numbered(owner, 1)
        await in_states(web, made.id, "delivered", "delivered")
    bodies = [json.loads(body)["data"]["post"] for _, body in await numbered(owner, 2)]
    assert bodies == ["quick", "slow"]


async def test_one_fan_out_takes_what_many_were_made_for(
    web: Database, worker: Database, owner: Database, receiver: Receiver
) -> None:
    """A hundred announcements are not a hundred turns of the account's lane."""
    made, _ = await an_endpoint(web, url=receiver.url)
    for _ in range(30):
        await tell(web)
    async with working(worker, "webhooks"):
        await in_states(web, made.id, *["delivered"] * 30)
    found = await rows(owner, "select state, count(*) as n from job where kind = 'fan_out' group by state")
    assert {row.state: row.n for row in found} == {"done": 1, "superseded": 29}


async def test_an_event_far_larger_than_a_commit_takes_is_cut_in_slices(
    web: Database, worker: Database, owner: Database, monkeypatch: pytest.MonkeyPatch, receiver: Receiver
) -> None:
    """Each slice is whole in itself: number, bytes, deliveries and jobs in one commit."""
    monkeypatch.setattr("app.webhooks.fanning.AT_ONCE", 4)
    made, _ = await an_endpoint(web, url=receiver.url)
    async with web.transaction(7) as tx:
        await webhooks.announce(tx, *(webhooks.News("reader.subscribed", {"n": n}) for n in range(11)))
    async with working(worker, "webhooks"):
        found = await in_states(web, made.id, *["delivered"] * 11)
    assert [line.sequence for line in found] == list(range(1, 12))
    assert [json.loads(body)["data"]["n"] for _, body in await numbered(owner, 11)] == list(range(11))


async def test_e5_of_an_event_and_an_endpoint_there_is_one_delivery_for_ever(
    web: Database, worker: Database, owner: Database, receiver: Receiver
) -> None:
    """E5: also when its job is gone and the event is numbered by somebody again."""
    made, _ = await an_endpoint(web, url=receiver.url)
    await tell(web)
    async with working(worker, "webhooks"):
        await in_states(web, made.id, "delivered")
    async with owner.transaction() as tx:
        await tx.execute("delete from job where kind = 'deliver_webhook'")
        await tx.execute("delete from delivery")
        await tx.execute("update event set sequence = null, body = null")
    async with working(worker, "webhooks"):
        await tell(web)
        await in_states(web, made.id, "delivered")
    assert [line.sequence for line in await lines(web, made.id)] == [3]


Act = Callable[[Tx, UUID], Awaitable[object]]
WAITS = """
select from pg_locks join pg_stat_activity using (pid) where datname = current_database() and not granted
"""


async def a_published_one(web: Database, owner: Database, before: str) -> UUID:
    """An endpoint in this state, and a release that nobody has numbered."""
    made, _ = await an_endpoint(web)
    await tell(web, "release.published", {"release": 1}, release=1)
    async with owner.transaction() as tx:
        await tx.execute("update endpoint set state = :state, reason = 'it failed'", state=before)
    return made.id


async def started(owner: Database, doing: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
    """Begin it, until it is over or waits for somebody's lock."""
    task = asyncio.create_task(doing)

    async def over_or_waits() -> bool:
        return task.done() or bool(await rows(owner, WAITS))

    await until(over_or_waits)
    return task


async def fanned_out(worker: Database) -> None:
    async with worker.transaction(7) as tx:
        await fan_out_some(tx)


@pytest.mark.parametrize(
    ("before", "act", "becomes"),
    [
        ("active", webhooks.pause_endpoint, ["held"]),
        ("paused", webhooks.resume_endpoint, ["ready"]),
        ("disabled", webhooks.resume_endpoint, ["ready"]),
        ("active", webhooks.delete_endpoint, []),
    ],
    ids=["paused", "resumed", "switched-on", "deleted"],
)
async def test_what_somebody_does_beside_a_fan_out_counts_for_what_it_makes(
    web: Database, worker: Database, owner: Database, before: str, act: Act, becomes: list[str]
) -> None:
    """E2: nothing is held for one that is on, made for one that is gone, left out for one that came back."""
    made = await a_published_one(web, owner, before)
    async with web.transaction(7) as tx:
        await act(tx, made)
        fanning = await started(owner, fanned_out(worker))
    await fanning
    jobs = await rows(owner, "select state from job where kind = 'deliver_webhook'")
    assert [job.state for job in jobs] == becomes


async def test_one_that_is_switched_on_just_after_a_fan_out_hears_of_what_it_numbered(
    web: Database, worker: Database, owner: Database
) -> None:
    """E2: the other way round; the release is ordered by the switching-on."""
    made = await a_published_one(web, owner, "disabled")

    async def switch_on() -> None:
        async with web.transaction(7) as tx:
            await webhooks.resume_endpoint(tx, made)

    async with worker.transaction(7) as tx:
        await fan_out_some(tx)
        switching = await started(owner, switch_on())
    await switching
    assert [line.release for line in await lines(web, made)] == [1]
