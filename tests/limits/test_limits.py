"""Token buckets and tries (limits, promises 1 to 3)."""

import asyncio

import pytest

from app.base.database import Database
from app.limits import allow, forget_idle, grant_tries, reserve, take_try


async def take(web: Database, name: str, rate: float, burst: float) -> float:
    async with web.transaction() as tx:
        return await allow(tx, name, rate, burst)


async def test_a_bucket_gives_its_burst_and_then_says_how_long_to_wait(web: Database) -> None:
    assert [await take(web, "a", 0.01, 3) for _ in range(3)] == [0, 0, 0]
    wait = await take(web, "a", 0.01, 3)
    assert 95 < wait <= 100
    assert await take(web, "b", 0.01, 3) == 0


async def test_knocking_makes_nobody_wait_longer(web: Database) -> None:
    """Promise 2."""
    for _ in range(5):
        last = await take(web, "a", 0.01, 1)
    assert last <= 100


async def test_it_fills_again(web: Database, owner: Database) -> None:
    await take(web, "a", 0.01, 1)
    assert await take(web, "a", 0.01, 1) > 0
    async with owner.transaction() as tx:
        await tx.execute("update limit_bucket set filled_at = filled_at - interval '101 seconds'")
    assert await take(web, "a", 0.01, 1) == 0


@pytest.mark.parametrize("prepared", [True, False])
async def test_at_once_no_more_are_let_through_than_there_are(web: Database, prepared: bool) -> None:
    """Promise 1: also when the bucket is not there yet."""
    if prepared:
        await take(web, "a", 0.0001, 5)
    told = await asyncio.gather(*(take(web, "a", 0.0001, 5) for _ in range(20)))
    assert told.count(0) == (4 if prepared else 5)


async def test_who_reserves_is_served_in_turn_and_nobody_far_ahead(web: Database) -> None:
    """Promise 4: three at once get three turns; the fourth is told no, and it costs nothing."""

    async def turn() -> float | None:
        async with web.transaction() as tx:
            return await reserve(tx, "a", 0.1, 1, cost=1, patience=20)

    turns = await asyncio.gather(*(turn() for _ in range(5)))
    given = sorted(wait for wait in turns if wait is not None)
    assert len(given) == 3
    assert given[0] == 0
    assert 9 < given[1] <= 10
    assert 19 < given[2] <= 20
    assert await turn() is None


async def test_tries_end_by_number_and_by_time(web: Database, owner: Database) -> None:
    async def attempt() -> int | None:
        async with web.transaction() as tx:
            return await take_try(tx, "code", within=600)

    assert await attempt() is None
    async with web.transaction() as tx:
        await grant_tries(tx, "code", 5)
    assert sorted(await asyncio.gather(*(attempt() for _ in range(5))), reverse=True) == [4, 3, 2, 1, 0]
    assert await attempt() is None
    async with web.transaction() as tx:
        await grant_tries(tx, "code", 5)
    async with owner.transaction() as tx:
        await tx.execute("update limit_bucket set filled_at = filled_at - interval '601 seconds'")
    assert await attempt() is None


async def test_what_nobody_touches_for_a_week_is_forgotten(
    web: Database, worker: Database, owner: Database
) -> None:
    """Promise 3: a bucket in use, and one a little younger, stay as they are."""
    for name in ("old", "young", "used"):
        async with web.transaction() as tx:
            await allow(tx, name, 0.001, 5)
    async with owner.transaction() as tx:
        await tx.execute(
            "update limit_bucket set filled_at = filled_at - interval '8 days' where name = 'old'"
        )
        await tx.execute(
            "update limit_bucket set filled_at = filled_at - interval '6 days' where name = 'young'"
        )
    async with worker.transaction() as tx:
        assert await forget_idle(tx, 10) == 1
    async with owner.transaction() as tx:
        left = await tx.rows("select name, tokens from limit_bucket order by name")
    assert [(row.name, row.tokens) for row in left] == [("used", 4), ("young", 4)]
