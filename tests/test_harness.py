"""The harness keeps tests apart: what one writes, the next does not find, in whatever order they run."""

import asyncio

import asyncpg
import pytest

from app.base.database import Database
from app.cli.valkey import Valkey
from tests.harness import Clone


@pytest.mark.parametrize("turn", ["first", "second"])
async def test_a_test_finds_only_what_the_migrations_wrote(owner: Database, turn: str) -> None:
    async with owner.transaction() as tx:
        assert await tx.value("select array_agg(id) from account") == [0]
        await tx.execute("insert into account (id, slug, name) values (7, 'left-behind', 'Left behind')")
        await tx.execute("update account set name = 'changed' where id = 0")


def test_a_transaction_left_open_does_not_stop_the_next_test(clone: Clone, database_url: str) -> None:
    with asyncio.Runner() as runner:
        left = runner.run(asyncpg.connect(database_url))
        runner.run(left.execute("begin; update account set name = 'never committed' where id = 0"))
        clone.clean()
        with pytest.raises((asyncpg.PostgresConnectionError, asyncpg.InterfaceError)):
            runner.run(left.execute("commit"))


async def test_each_role_is_itself(web: Database, worker: Database, owner: Database) -> None:
    for database, name in ((web, "godwit_web"), (worker, "godwit_worker"), (owner, "godwit_owner")):
        async with database.transaction() as tx:
            assert await tx.value("select current_user") == name


def test_a_test_may_stop_its_own_redis_and_find_it_at_the_same_address(own_redis: Valkey) -> None:
    before = own_redis.url
    own_redis.stop()
    assert not own_redis.running
    own_redis.start()
    assert own_redis.url == before
