"""The only committer: what happens after a commit, and only then."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from urllib.parse import urlsplit

import pytest
from sqlalchemy.exc import DBAPIError

from app.base.database import Database, in_transaction, in_words, moves
from app.base.errors import NotFound, Unavailable
from tests.posts.makers import make_desk, make_post
from tests.waiting import until


async def test_callbacks_run_after_the_commit_in_order(web: Database, owner: Database) -> None:
    """When they run, everyone can see what was committed, and no transaction is open any more."""
    seen: list[object] = []

    async def look() -> None:
        async with owner.transaction() as other:
            seen.append(await other.value("select count(*) from limit_bucket"))

    async def tell() -> None:
        seen.append(in_transaction())

    async with web.transaction() as tx:
        tx.after_commit(look)
        tx.after_commit(tell)
        await tx.execute("insert into limit_bucket values ('x', 1, now())")
        assert in_transaction()
        assert seen == []
    assert seen == [1, False]
    assert not in_transaction()


async def test_nothing_runs_after_a_rollback(web: Database, owner: Database) -> None:
    async def never() -> None:
        pytest.fail("it was not committed")

    with pytest.raises(ZeroDivisionError):  # noqa: PT012 - the transaction is the act
        async with web.transaction() as tx:
            tx.after_commit(never)
            await tx.execute("insert into limit_bucket values ('x', 1, now())")
            raise ZeroDivisionError
    assert not in_transaction()
    async with owner.transaction() as tx:
        assert await tx.value("select count(*) from limit_bucket") == 0


async def test_a_commit_answered_with_a_rollback_raises_and_nothing_follows_it(
    web: Database, owner: Database
) -> None:
    """E1: PostgreSQL rolls back without an error when a statement had failed and somebody caught it."""

    async def never() -> None:
        pytest.fail("it was not committed")

    moved = moves(0)
    with pytest.raises(RuntimeError, match="rolled back"):  # noqa: PT012 - the transaction is the act
        async with web.transaction(0) as tx:
            tx.after_commit(never)
            await tx.execute("insert into limit_bucket values ('x', 1, now())")
            with suppress(DBAPIError):
                await tx.execute("select 1 / 0")
    assert moves(0) == moved
    async with owner.transaction() as tx:
        assert await tx.value("select count(*) from limit_bucket") == 0


async def test_a_callback_that_fails_undoes_nothing_and_stops_no_other(web: Database) -> None:
    ran: list[str] = []

    async def fails() -> None:
        raise OSError("the bell is away")

    async def runs() -> None:
        ran.append("the other")

    async with web.transaction() as tx:
        tx.after_commit(fails)
        tx.after_commit(runs)
    assert ran == ["the other"]


async def test_a_savepoint_is_undone_alone(web: Database) -> None:
    async with web.transaction() as tx:
        await tx.execute("insert into limit_bucket values ('kept', 1, now())")
        with pytest.raises(ZeroDivisionError):  # noqa: PT012 - the savepoint is the act
            async with tx.savepoint():
                await tx.execute("insert into limit_bucket values ('undone', 1, now())")
                raise ZeroDivisionError
    async with web.transaction() as tx:
        assert [row.name for row in await tx.rows("select name from limit_bucket")] == ["kept"]


async def test_an_account_entered_later_is_left_with_its_transaction(web: Database) -> None:
    async with web.transaction() as tx:
        await tx.enter_account(0)
        assert await tx.value("select id from account") == 0
    async with web.transaction() as tx:
        assert await tx.value("select id from account") is None


async def test_jsonb_comes_and_goes_as_python_values(web: Database) -> None:
    async with web.transaction() as tx:
        given = {"a": [1, None, "ü"]}
        assert await tx.value("select cast(:body as jsonb)", body=given) == given


async def test_a_database_that_is_away_is_a_sentence_and_a_503() -> None:
    away = Database("postgresql://godwit_web:x@127.0.0.1:1/x", "godwit_web")
    with pytest.raises(Unavailable, match="cannot be reached"):
        async with away.transaction():
            pytest.fail("there is none")
    assert not in_transaction()
    await away.close()


async def test_a_log_in_that_is_refused_is_said_and_shows_no_password(database_url: str) -> None:
    told = urlsplit(database_url)
    wrong = told._replace(netloc=f"{told.username}:hush@{told.hostname}:{told.port}").geturl()
    refused = Database(wrong, "godwit_web")
    with pytest.raises(Unavailable, match="refused the log-in") as caught:
        async with refused.transaction():
            pytest.fail("it was let in")
    assert "hush" not in caught.value.detail
    await refused.close()


async def test_a_statement_that_fails_is_told_in_the_driver_s_words(web: Database, owner: Database) -> None:
    """A class and a line: people are shown no SQL, no values and no links."""
    async with owner.transaction() as tx:
        await tx.execute("lock table limit_bucket")
        with pytest.raises(DBAPIError) as locked:  # noqa: PT012 - one act in two statements
            async with web.transaction() as other:
                await other.execute("set local lock_timeout = '20ms'")
                await other.rows("select name from limit_bucket")
    assert in_words(locked.value) == "LockNotAvailableError: canceling statement due to lock timeout"
    with pytest.raises(DBAPIError) as twice:  # noqa: PT012 - one act in two statements
        async with web.transaction() as tx:
            for _ in range(2):
                await tx.execute("insert into limit_bucket values ('anna@example.org', 1, now())")
    told = in_words(twice.value)
    assert told.startswith("UniqueViolationError: duplicate key value violates")
    assert "anna" not in told
    assert "\n" not in told
    assert in_words(KeyError()) == "KeyError"
    assert in_words(ValueError("one\ntwo")) == "ValueError: one"


async def test_a_connection_lost_on_the_way_is_told_the_same_and_the_next_one_works(
    web: Database,
) -> None:
    with pytest.raises(Unavailable, match="went away"):  # noqa: PT012 - the transaction is the act
        async with web.transaction() as tx:
            pid = await tx.value("select pg_backend_pid()")
            async with web.transaction() as other:
                assert await other.value("select pg_terminate_backend(:pid)", pid=pid)
            await tx.value("select pg_sleep(0)")
    async with web.transaction() as tx:
        assert await tx.value("select 1") == 1


@asynccontextmanager
async def never_hung_up(url: str) -> AsyncIterator[tuple[str, asyncio.Event]]:
    """The database behind a wire that passes its last word on and stays; its address, and when that was."""
    told, over = urlsplit(url), asyncio.Event()

    async def wire(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, thither = await asyncio.open_connection(told.hostname, told.port)

        async def carry(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
            while read := await source.read(65536):
                sink.write(read)

        back = asyncio.create_task(carry(there, writer))
        back.add_done_callback(lambda _: over.set())
        await carry(reader, thither)
        thither.close()
        writer.close()

    async with await asyncio.start_server(wire, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        yield told._replace(netloc=f"{told.username}:{told.password}@127.0.0.1:{port}").geturl(), over


@pytest.mark.parametrize("idle", [True, False])
async def test_a_driver_that_heard_the_last_word_and_no_end_takes_the_connection_for_lost(
    web: Database, idle: bool
) -> None:
    """Between the two it only says that it lost the thread: at the next begin, or when it rolls back."""

    async def cut(pid: int) -> None:
        async with web.transaction() as other:
            await other.value("select pg_terminate_backend(:pid, 5000)", pid=pid)
        await over.wait()
        for _ in range(9):
            await asyncio.sleep(0)

    async with never_hung_up(web.url) as (url, over):
        one = Database(url, "godwit_web", 1)
        with suppress(ZeroDivisionError):
            async with one.transaction() as tx:
                pid = await tx.value("select pg_backend_pid()")
                if not idle:
                    await cut(pid)
                    raise ZeroDivisionError
        if idle:
            await cut(pid)
        async with one.transaction() as tx:
            assert await tx.value("select pg_backend_pid()") != pid
        await one.close()


async def test_a_snapshot_reads_one_moment_writes_nothing_and_leaves_no_trace(
    web: Database, owner: Database
) -> None:
    """Statements in it do not see what others commit meanwhile; the connection is as before afterwards."""
    count, put = "select count(*) from limit_bucket", "insert into limit_bucket values (:name, 1, now())"
    one = Database(web.url, "godwit_web", 1)
    try:
        async with one.transaction(snapshot=True) as tx:
            before = await tx.value(count)
            async with owner.transaction() as other:
                await other.execute(put, name="a")
            assert await tx.value(count) == before
        with pytest.raises(DBAPIError, match="read-only"):
            async with one.transaction(snapshot=True) as tx:
                await tx.execute(put, name="b")
        async with one.transaction() as tx:
            await tx.execute(put, name="c")
            assert await tx.value(count) == before + 2
    finally:
        await one.close()


async def test_a_snapshot_reads_one_account_and_is_counted_as_no_move(web: Database) -> None:
    """T1, and the site's promise 6."""
    here, other = await make_desk(web), await make_desk(web, "elsewhere")
    mine, others = moves(here.account_id), moves(other.account_id)
    await make_post(web, here)
    assert (moves(here.account_id) != mine, moves(other.account_id) == others) == (True, True)
    mine = moves(here.account_id)
    async with web.transaction(here.account_id, snapshot=True) as tx:
        row = await tx.row("select account_id, version from draft where version = :version", version=1)
        assert (row.account_id, row._mapping["version"]) == (here.account_id, 1)
    async with web.transaction(other.account_id, snapshot=True) as tx:
        assert await tx.rows("select 1 from post") == []
    assert moves(here.account_id) == mine
    with pytest.raises(DBAPIError, match="read-only"):
        async with web.transaction(here.account_id, snapshot=True) as tx:
            await tx.rows("delete from draft returning 1")


async def test_after_an_error_the_connection_is_used_again(web: Database) -> None:
    one, pids = Database(web.url, "godwit_web", 1), list[int]()

    async def fail(error: Exception) -> None:
        async with one.transaction() as tx:
            pids.append(await tx.value("select pg_backend_pid()"))
            raise error

    try:
        for error in (NotFound("not here"), ValueError()):
            with pytest.raises(type(error)):
                await fail(error)
        async with one.transaction() as tx:
            assert {*pids, await tx.value("select pg_backend_pid()")} == {pids[0]}
    finally:
        await one.close()


async def test_a_statement_alone_is_in_no_transaction_and_the_connection_is_used_again(web: Database) -> None:
    one = Database(web.url, "godwit_web", 1)
    try:
        [(pid, account)] = await one.alone(
            "select pg_backend_pid(), current_setting('godwit.account_id', true)"
        )
        assert not account
        with pytest.raises(DBAPIError, match="can only be used in transaction blocks"):
            await one.alone("savepoint mine")
        await one.alone("insert into limit_bucket values ('alone', 1, now())")
        async with web.transaction() as tx:
            assert await tx.value("select name from limit_bucket for update nowait")
        async with one.transaction() as tx:
            assert await tx.value("select pg_backend_pid()") == pid
            assert await tx.value("delete from limit_bucket returning 1") == 1
    finally:
        await one.close()


async def test_a_statement_alone_is_refused_to_another_role_and_told_when_it_is_cut(
    web: Database, owner: Database
) -> None:
    """T1; and nobody knows whether it was committed."""
    with pytest.raises(Unavailable, match="in the middle"):
        await web.alone("select pg_terminate_backend(pg_backend_pid()), pg_sleep(5)")
    one = Database(owner.url, owner.role, 1)
    try:
        async with one.transaction() as tx:
            await tx.execute("set role godwit_web")
        with pytest.raises(RuntimeError, match=f"not as {owner.role}"):
            await one.alone("select 1")
        assert await one.alone("select current_user") == [(owner.role,)]
    finally:
        await one.close()


async def test_a_connection_that_became_another_role_s_is_handed_to_nobody(owner: Database) -> None:
    """T1: asserted by every transaction, not once a connection."""
    one = Database(owner.url, owner.role, 1)
    try:
        async with one.transaction() as tx:
            await tx.execute("set role godwit_web")
        with pytest.raises(RuntimeError, match=f"not as {owner.role}"):
            async with one.transaction():
                pytest.fail("it was handed out")
        async with one.transaction() as tx:
            assert await tx.value("select current_user") == owner.role
    finally:
        await one.close()


async def test_connections_cut_while_nobody_used_them_are_passed_over(web: Database) -> None:
    two = Database(web.url, "godwit_web", 2)
    try:
        async with two.transaction() as tx, two.transaction() as other:
            pids = [await one.value("select pg_backend_pid()") for one in (tx, other)]
        async with web.transaction() as tx:
            for pid in pids:
                assert await tx.value("select pg_terminate_backend(:pid)", pid=pid)
        async with two.transaction() as tx:
            assert await tx.value("select pg_backend_pid()") not in pids
    finally:
        await two.close()


async def test_whoever_is_cancelled_in_a_statement_gives_the_place_back_and_not_the_connection(
    web: Database,
) -> None:
    one = Database(web.url, "godwit_web", 1)
    pids: list[int] = []

    async def sleep() -> None:
        async with one.transaction() as tx:
            pids.append(await tx.value("select pg_backend_pid()"))
            await tx.value("select pg_sleep(20)")

    try:
        sleeping = asyncio.create_task(sleep())

        async def asleep() -> bool:
            active = (
                "select state = 'active' and wait_event = 'PgSleep' from pg_stat_activity where pid = :pid"
            )
            async with web.transaction() as tx:
                return bool(pids and await tx.value(active, pid=pids[0]))

        await until(asleep)
        sleeping.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sleeping
        async with asyncio.timeout(5), one.transaction() as tx:
            assert await tx.value("select pg_backend_pid()") not in pids
    finally:
        await one.close()


async def test_whoever_waits_too_long_for_a_connection_is_told_to_come_again(web: Database) -> None:
    one = Database(web.url, "godwit_web", 1)
    one.pool.longest_wait = 0.05
    try:
        async with one.transaction() as tx:
            with pytest.raises(Unavailable, match="Very many"):
                async with one.transaction():
                    pytest.fail("there is one connection")
            assert await tx.value("select 1") == 1
        async with one.transaction() as tx:
            assert await tx.value("select 1") == 1
    finally:
        await one.close()
