"""A migration changes what a statement answers, while pooled connections have that statement prepared."""

from collections.abc import AsyncIterator

import pytest

from app.base.database import Database
from app.base.errors import Unavailable

_READ = "select o.*, current_setting('godwit.account_id') as account from outrun o"
_WRITE = "insert into outrun (body) values (:body) returning *"
_PID = "select pg_backend_pid()"


@pytest.fixture
async def three(web: Database, owner: Database) -> AsyncIterator[Database]:
    """Three connections, each with both statements prepared, and a table that is about to change."""
    async with owner.transaction() as tx:
        await tx.execute("create table outrun (body jsonb)")
        await tx.execute("grant select, insert on outrun to godwit_web")
    made = Database(web.url, "godwit_web", 3)
    async with made.transaction() as a, made.transaction() as b, made.transaction() as c:
        for tx in (a, b, c):
            await tx.rows(_READ)
            await tx.rows(_WRITE, body={"by": "nobody"})
    async with owner.transaction() as tx:
        await tx.execute("delete from outrun")
    yield made
    await made.close()
    async with owner.transaction() as tx:
        await tx.execute("drop table outrun")


async def migrate(owner: Database, kind: str = "integer") -> None:
    """As a deploy does, in the middle of the day."""
    async with owner.transaction() as tx:
        await tx.execute(f"alter table outrun add column later {kind} default 7")


@pytest.mark.parametrize("snapshot", [False, True])
async def test_the_first_statement_of_a_transaction_is_asked_once_more(
    three: Database, owner: Database, snapshot: bool
) -> None:
    """T1 holds in the second go, and jsonb comes as Python values."""
    async with owner.transaction() as tx:
        await tx.execute(_WRITE, body={"a": 1})
    await migrate(owner)
    for account in (0, 7, 8):
        async with three.transaction(account, snapshot=snapshot) as tx:
            assert [tuple(row) for row in await tx.rows(_READ)] == [({"a": 1}, 7, str(account))]
            if snapshot:
                assert await tx.value("show transaction_read_only") == "on"


async def test_what_it_writes_is_written_once(three: Database, owner: Database) -> None:
    await migrate(owner)
    async with three.transaction() as tx:
        assert (await tx.row(_WRITE, body=[1])).later == 7
    async with three.transaction() as tx:
        assert [row.body for row in await tx.rows(_READ)] == [[1]]


async def test_a_later_statement_is_unavailable_once_and_never_asked_again(
    three: Database, owner: Database
) -> None:
    """What the transaction wrote before is undone; no other connection has to find out for itself."""
    await migrate(owner)
    with pytest.raises(Unavailable, match="updated"):  # noqa: PT012 - the transaction is the act
        async with three.transaction() as tx:
            await tx.execute("insert into outrun (body) values ('1')")
            await tx.rows(_READ)
    async with three.transaction() as a, three.transaction() as b, three.transaction() as c:
        for tx in (a, b, c):
            await tx.value("select 1")
            assert await tx.rows(_READ) == []


async def test_a_savepoint_counts_as_a_statement(three: Database, owner: Database) -> None:
    """To begin anew would lose it."""
    await migrate(owner)
    with pytest.raises(Unavailable, match="updated"):
        async with three.transaction() as tx, tx.savepoint():
            await tx.rows(_READ)


async def test_a_connection_that_was_in_use_is_not_used_again(three: Database, owner: Database) -> None:
    async with three.transaction() as busy:
        pid = await busy.value(_PID)
        await migrate(owner)
        async with three.transaction() as tx:
            await tx.rows(_READ)
    async with three.transaction() as a, three.transaction() as b, three.transaction() as c:
        assert pid not in [await tx.value(_PID) for tx in (a, b, c)]


async def test_a_type_that_changed_is_unavailable_and_spoils_no_connection(
    three: Database, owner: Database
) -> None:
    """The driver forgets every type then, and how jsonb of ours is read."""
    composite = "select cast(row(1) as outrun_kind) as found, cast('[1]' as jsonb) as body"
    async with owner.transaction() as tx:
        await tx.execute("create type outrun_kind as (n integer)")
    try:
        async with three.transaction() as a, three.transaction() as b, three.transaction() as c:
            for tx in (a, b, c):
                assert (await tx.row(composite)).body == [1]
        async with owner.transaction() as tx:
            await tx.execute("alter type outrun_kind add attribute m integer")
        composite = composite.replace("row(1)", "row(1, 2)")
        with pytest.raises(Unavailable, match="updated"):
            async with three.transaction() as tx:
                await tx.row(composite)
        async with three.transaction() as a, three.transaction() as b, three.transaction() as c:
            for tx in (a, b, c):
                assert (await tx.row(composite)).body == [1]
    finally:
        async with owner.transaction() as tx:
            await tx.execute("drop type outrun_kind")
