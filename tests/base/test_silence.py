"""Whoever asks a database that says nothing more waits for a while, not for ever."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Callable

import pytest
import uvloop

from app.base.database import Database, moves
from app.base.driver import LONGEST_STATEMENT
from app.base.errors import Unavailable
from app.base.settings import Settings
from tests.line import Line

_PID = "select pg_backend_pid()"
_PUT = "insert into limit_bucket values ('x', 1, now())"
_COUNT = "select count(*) from limit_bucket"


@pytest.fixture
async def line(web: Database) -> AsyncIterator[Line]:
    """A line to the database of the web process."""
    async with Line(web.url).open() as made:
        yield made


@pytest.fixture
async def far(line: Line) -> AsyncIterator[Database]:
    """Three connections by the line, on which nobody waits long."""
    made = Database(line.url, "godwit_web", 3)
    made.pool.longest_begin = 0.2
    made.pool.longest_opening = 0.5
    made.pool.longest_statement = 3.0
    yield made
    await made.close()


async def _fill(far: Database) -> None:
    """All three connections lie idle."""
    async with far.transaction(), far.transaction(), far.transaction():
        pass


async def test_after_a_failover_the_first_who_asks_finds_the_new_server(far: Database, line: Line) -> None:
    """One limit is waited for once, not once for each connection that lay idle."""
    await _fill(far)
    line.silence(new=False)
    began = time.monotonic()
    async with far.transaction() as tx:
        assert await tx.value("select 1") == 1
    assert 0.2 <= time.monotonic() - began < 0.55
    began = time.monotonic()
    async with far.transaction(), far.transaction(), far.transaction() as tx:
        assert await tx.value("select 1") == 1
    assert time.monotonic() - began < 0.2


async def test_a_silent_database_is_told_as_one_that_is_away(far: Database, line: Line) -> None:
    await _fill(far)
    line.silence()
    began = time.monotonic()
    for _ in range(2):
        with pytest.raises(Unavailable, match="cannot be reached"):
            async with far.transaction():
                pytest.fail("nobody answered")
    assert time.monotonic() - began < 2
    line.mend()
    async with far.transaction(), far.transaction(), far.transaction() as tx:
        assert await tx.value("select 1") == 1


async def test_a_statement_without_an_answer_ends_and_leaves_nothing_behind(
    far: Database, line: Line
) -> None:
    """The driver's request to stop it goes out on a connection of its own, which is silent too."""
    far.pool.longest_statement = 0.5
    began = time.monotonic()
    with pytest.raises(Unavailable, match="went away"):  # noqa: PT012 - the transaction is the act
        async with far.transaction() as tx, tx.savepoint():
            line.silence()
            await tx.rows("select 1")
    assert 0.5 <= time.monotonic() - began < 0.95
    await asyncio.sleep(0)
    assert not any("Connection._cancel" in repr(task) for task in asyncio.all_tasks())
    line.mend()
    async with far.transaction(), far.transaction(), far.transaction() as tx:
        assert await tx.value("select 1") == 1


async def test_whoever_fails_while_it_is_silent_hears_of_the_own_failure_soon(
    far: Database, line: Line
) -> None:
    began = time.monotonic()
    with pytest.raises(ZeroDivisionError):  # noqa: PT012 - the transaction is the act
        async with far.transaction():
            line.silence()
            raise ZeroDivisionError
    assert time.monotonic() - began < 1
    line.mend()
    async with far.transaction() as tx:
        assert await tx.value("select 1") == 1


async def test_a_commit_without_an_answer_stays_in_doubt(far: Database, line: Line, owner: Database) -> None:
    """Here it was one. Nothing follows it, and whoever keeps what was read before reads again."""

    async def never() -> None:
        pytest.fail("nobody knows that")

    far.pool.longest_statement = 0.5
    moved = moves(0)
    with pytest.raises(Unavailable, match="went away"):  # noqa: PT012 - the transaction is the act
        async with far.transaction(0) as tx:
            tx.after_commit(never)
            await tx.execute(_PUT)
            line.silence(answers_only=True)
    async with owner.transaction() as tx:
        assert await tx.value(_COUNT) == 1
    assert moves(0) != moved


async def test_the_server_s_own_limit_comes_first_and_costs_no_connection(web: Database) -> None:
    one = Database(web.url, "godwit_web", 1)
    try:
        async with one.transaction() as tx:
            pid = await tx.value(_PID)
            limit = await tx.value(
                "select extract(epoch from cast(current_setting('statement_timeout') as interval))"
            )
            assert limit < LONGEST_STATEMENT <= limit + 10
        async with one.transaction() as tx:
            await tx.execute("set local statement_timeout = '20ms'")
            with pytest.raises(Exception, match="statement timeout"):
                await tx.value("select pg_sleep(5)")
            await tx.execute("rollback")
        async with one.transaction() as tx:
            assert await tx.value(_PID) == pid
    finally:
        await one.close()


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="the kernel knows no such limit")
@pytest.mark.parametrize("loops", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_the_kernel_ends_a_connection_whose_other_side_vanished(
    settings_env: Settings, loops: Callable[[], asyncio.AbstractEventLoop]
) -> None:
    """Nothing is refused then, and a statement may rightly take half a minute: only its silence tells."""

    async def look() -> list[int]:
        database = Database(settings_env.database.web_url, "godwit_web", 1)
        async with database.transaction() as tx:
            line = tx.connection._transport.get_extra_info("socket")
            told = [line.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)]
            for name in ("TCP_KEEPIDLE", "TCP_KEEPINTVL", "TCP_KEEPCNT", "TCP_USER_TIMEOUT"):
                told.append(line.getsockopt(socket.IPPROTO_TCP, getattr(socket, name)))
        await database.close()
        return told

    with asyncio.Runner(loop_factory=loops) as runner:
        alive, idle, every, times, unheard = runner.run(look())
    assert alive
    assert idle + every * times <= 15
    assert unheard <= 15_000
