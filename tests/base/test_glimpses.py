"""Glimpses: read-only, within one account, and none the worse for what went wrong before."""

import asyncio

import asyncpg
import pytest

from app.base.database import Database, in_transaction, moves
from app.base.errors import NotFound, Unavailable
from app.base.glimpses import Glimpses
from tests.posts.makers import make_desk, make_post


@pytest.fixture
async def glimpses(web: Database):
    made = Glimpses(web.url, web.role, 2)
    yield made
    await made.close()


async def test_a_glimpse_reads_one_account_and_cannot_write(web: Database, glimpses: Glimpses) -> None:
    """T1, and the site's promise 6."""
    here, other = await make_desk(web), await make_desk(web, "elsewhere")
    await make_post(web, here)
    async with glimpses.look(here.account_id) as tx:
        assert in_transaction()
        assert await tx.value("select count(*) from post") == 1
        row = await tx.row("select account_id, version from draft where version = :version", version=1)
        assert (row.account_id, row._mapping["version"]) == (here.account_id, 1)
    async with glimpses.look(other.account_id) as tx:
        assert await tx.rows("select 1 from post") == []
    assert not in_transaction()
    with pytest.raises(asyncpg.ReadOnlySQLTransactionError):
        async with glimpses.look(here.account_id) as tx:
            await tx.rows("delete from draft returning 1")


async def test_after_an_error_the_connection_is_used_again(web: Database, glimpses: Glimpses) -> None:
    desk = await make_desk(web)

    async def fail(error: Exception) -> int:
        async with glimpses.look(desk.account_id) as tx:
            pids.append(await tx.value("select pg_backend_pid()"))
            raise error

    pids: list[int] = []
    for error in (NotFound("not here"), ValueError()):
        with pytest.raises(type(error)):
            await fail(error)
    async with glimpses.look(desk.account_id) as tx:
        assert {*pids, await tx.value("select pg_backend_pid()")} == {pids[0]}


async def test_connections_that_were_cut_are_opened_anew(
    web: Database, database_url: str, glimpses: Glimpses
) -> None:
    desk = await make_desk(web)
    async with glimpses.look(desk.account_id) as tx:
        pid = await tx.value("select pg_backend_pid()")
    server = await asyncpg.connect(database_url)
    await server.execute(f"select pg_terminate_backend({pid}, 5000)")
    await server.close()
    async with glimpses.look(desk.account_id) as tx:
        assert await tx.value("select pg_backend_pid()") != pid


async def test_whoever_goes_away_leaves_nothing_open(web: Database, glimpses: Glimpses) -> None:
    desk = await make_desk(web)

    async def wait(ready: asyncio.Event) -> None:
        async with glimpses.look(desk.account_id) as tx:
            ready.set()
            await tx.value("select pg_sleep(20)")

    for _ in range(3):  # more than there are places
        ready = asyncio.Event()
        task = asyncio.create_task(wait(ready))
        await ready.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    async with asyncio.timeout(5), glimpses.look(desk.account_id) as tx:
        assert await tx.value("select 1") == 1


async def test_a_database_that_is_away_is_told_in_words(web: Database) -> None:
    away = Glimpses("postgresql://nobody:x@127.0.0.1:1/none", web.role, 1)
    with pytest.raises(Unavailable, match="Try again in a moment"):
        async with away.look(1):
            pytest.fail("there is nothing to look at")


async def test_what_this_process_commits_in_an_account_is_counted(web: Database, glimpses: Glimpses) -> None:
    here, other = await make_desk(web), await make_desk(web, "elsewhere")
    mine, others = moves(here.account_id), moves(other.account_id)
    async with glimpses.look(here.account_id):
        pass
    assert moves(here.account_id) == mine
    await make_post(web, here)
    assert moves(here.account_id) != mine
    assert moves(other.account_id) == others
