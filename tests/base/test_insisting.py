"""Saying something again while the database is away."""

import asyncio
from itertools import pairwise

import pytest
from sqlalchemy.exc import DBAPIError

from app.base.database import Database
from app.base.errors import Unavailable
from app.base.insisting import insist
from app.cli.ports import choose

_PUT = "insert into limit_bucket values ('x', 1, now())"


def in_time(seconds: float = 20) -> float:
    return asyncio.get_running_loop().time() + seconds


async def test_what_another_try_would_not_mend_is_raised_at_once(web: Database) -> None:
    """A row that is there already, a mistake in a statement."""
    tries = 0

    async def put_twice() -> None:
        nonlocal tries
        tries += 1
        async with web.transaction() as tx:
            await tx.execute(_PUT)
            await tx.execute(_PUT)

    with pytest.raises(DBAPIError, match="duplicate"):
        await insist(put_twice, until=in_time())
    assert tries == 1


async def test_what_passes_by_itself_is_waited_for(web: Database) -> None:
    """A lock that another holds."""
    tries = 0

    async def put() -> int:
        nonlocal tries
        tries += 1
        async with web.transaction() as tx:
            await tx.execute("set local lock_timeout = '20ms'")
            if tries == 3:
                await other.__aexit__(None, None, None)
            return await tx.execute(_PUT)

    other = web.transaction()
    tx = await other.__aenter__()
    await tx.execute("lock table limit_bucket")
    assert await insist(put, until=in_time()) == 1
    assert tries == 3


async def test_it_ends_when_the_time_is_over() -> None:
    """With what the last try raised; the waits grow, and the last is cut to what is left."""
    away = Database(f"postgresql://nobody@127.0.0.1:{choose()}/nothing", "godwit_web", 1)
    tried: list[float] = []

    async def ask() -> None:
        tried.append(asyncio.get_running_loop().time())
        async with away.transaction():
            pytest.fail("nobody is there")

    until = in_time(0.7)
    with pytest.raises(Unavailable, match="cannot be reached"):
        await insist(ask, until=until)
    waits = [after - before for before, after in pairwise(tried)]
    assert tried[-1] >= until
    assert len(tried) == 4
    assert waits[1] > waits[0] > 0.19
