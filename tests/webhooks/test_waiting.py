"""What waits for a secret that did not open is told, counted, and goes when it opens again."""

from collections.abc import Awaitable, Callable

import pytest

from app import webhooks
from app.base.database import Database
from app.jobs import enqueue_platform
from tests.jobs.makers import working
from tests.waiting import until
from tests.webhooks.conftest import Receiver
from tests.webhooks.makers import an_account, an_endpoint, in_states, rows, tell, whole

Act = Callable[[Database, Database, webhooks.Endpoint], Awaitable[None]]


@pytest.fixture(autouse=True)
async def account(owner: Database) -> int:
    return await an_account(owner)


async def flip(owner: Database) -> None:
    """Spoil each secret that is sealed, or put it right again."""
    async with owner.transaction() as tx:
        await tx.execute("update endpoint_secret set sealed = set_byte(sealed, 30, get_byte(sealed, 30) # 1)")


async def resume(web: Database, worker: Database, made: webhooks.Endpoint) -> None:
    async with web.transaction(7) as tx:
        await webhooks.resume_endpoint(tx, made.id)


async def reseal(web: Database, worker: Database, made: webhooks.Endpoint) -> None:
    async with worker.transaction(7) as tx:
        await webhooks.reseal(tx)


async def upkeep(web: Database, worker: Database, made: webhooks.Endpoint) -> None:
    """What the schedule orders each hour."""
    async with worker.transaction() as tx:
        await enqueue_platform(tx, webhooks.PruneWebhooks())
    async with working(worker, "housekeeping"):
        await until(lambda: _done(worker))


async def _done(worker: Database) -> bool:
    async with worker.transaction() as tx:
        return not await tx.value(
            "select count(*) from job where kind = 'prune_webhooks' and state in ('ready', 'leased')"
        )


@pytest.mark.parametrize("act", [resume, reseal, upkeep])
async def test_it_goes_when_the_secret_opens_again(
    web: Database, worker: Database, owner: Database, receiver: Receiver, act: Act
) -> None:
    """E2: a hold that is seen, and that ends; while it does not open nobody goes round and round."""
    made, _ = await an_endpoint(web, url=receiver.url)
    await flip(owner)
    async with working(worker, "webhooks"):
        await tell(web)
        (line,) = await in_states(web, made.id, "held")
        async with web.transaction(7) as tx:
            (told,) = await webhooks.waiting(tx)
        assert (told.id, told.count, told.shut) == (made.id, 1, True)
        if act is not resume:
            await act(web, worker, made)
            assert await rows(owner, "select from job where kind = 'follow_endpoint'") == []
        await flip(owner)
        await act(web, worker, made)
        await in_states(web, made.id, "delivered")
        async with web.transaction(7) as tx:
            assert await webhooks.waiting(tx) == []
    assert [one.outcome for one in (await whole(web, line.id)).attempts] == ["held", "done"]


async def test_a_new_secret_alone_lets_it_go(
    web: Database, worker: Database, owner: Database, receiver: Receiver
) -> None:
    """The key is lost for good: a new secret with no overlap signs what waited."""
    made, _ = await an_endpoint(web, url=receiver.url)
    await flip(owner)
    async with working(worker, "webhooks"):
        await tell(web)
        await in_states(web, made.id, "held")
        async with web.transaction(7) as tx:
            await webhooks.rotate_secret(tx, made.id, 0)
        await in_states(web, made.id, "delivered")


async def test_nothing_is_ordered_where_nothing_waits(web: Database, owner: Database) -> None:
    made, _ = await an_endpoint(web)
    async with web.transaction(7) as tx:
        await webhooks.resume_endpoint(tx, made.id)
        await webhooks.rotate_secret(tx, made.id, 24)
        assert await webhooks.waiting(tx) == []
    assert await rows(owner, "select from job where kind = 'follow_endpoint'") == []
