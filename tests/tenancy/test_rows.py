"""T1 and T2, asked of every account table as the runtime roles themselves."""

import pytest
from sqlalchemy.exc import DBAPIError

from app.base.database import Database, Tx
from tests.tenancy.catalogue import ACROSS, account_tables, asked

#: What the worker may not read at all (T2).
REFUSED = (
    "draft", "creator_session", "creator_code", "membership", "invitation", "api_key", "creator",
    "idempotency",
)  # fmt: skip


async def granted(owner: Database, role: str, right: str) -> dict[str, str]:
    """Account table → its account column, of those on which the role has the right."""
    return {
        table.name: table.of
        for table in await account_tables(owner)
        if (await asked(owner, "select has_table_privilege(:r, :t, :p)", r=role, t=table.name, p=right))[0][0]
    }


async def owners_seen(tx: Tx, tables: dict[str, str]) -> dict[str, set[int]]:
    """Table → the accounts whose rows this transaction sees in it."""
    return {
        name: {row[0] for row in await tx.rows(f'select distinct {column} from "{name}"')}
        for name, column in tables.items()
    }


@pytest.mark.usefixtures("two_accounts")
async def test_every_account_table_is_filled_for_these_tests(owner: Database) -> None:
    """A new table needs a line in rows.sql, or nothing here proves anything of it."""
    tables = {table.name: table.of for table in await account_tables(owner)}
    async with owner.transaction() as tx:
        for name, seen in (await owners_seen(tx, tables)).items():
            assert {7, 8} <= seen, (
                f"{name} has no row for the accounts of these tests; add a line to rows.sql"
            )


@pytest.mark.usefixtures("two_accounts")
async def test_without_an_account_there_are_no_rows(web: Database, owner: Database) -> None:
    """T1: also in the second transaction of a connection that had an account in its first."""
    tables = await granted(owner, "godwit_web", "select")
    assert len(tables) > 25
    async with web.transaction() as tx:
        assert set().union(*(await owners_seen(tx, tables)).values()) == set()
        first = await tx.value("select pg_backend_pid()")
    async with web.transaction(account_id=7) as tx:
        assert all((await owners_seen(tx, tables)).values())
        assert await tx.value("select pg_backend_pid()") == first, "this must be the same connection"
    async with web.transaction() as tx:
        assert await tx.value("select pg_backend_pid()") == first
        assert set().union(*(await owners_seen(tx, tables)).values()) == set()


@pytest.mark.usefixtures("two_accounts")
async def test_with_an_account_there_are_only_its_rows(web: Database, owner: Database) -> None:
    """T1."""
    tables = await granted(owner, "godwit_web", "select")
    for account in (7, 8):
        async with web.transaction(account_id=account) as tx:
            for name, seen in (await owners_seen(tx, tables)).items():
                assert seen == {account}, name


@pytest.mark.usefixtures("two_accounts")
async def test_the_worker_sees_one_account_outside_its_books(worker: Database, owner: Database) -> None:
    """T1: jobs and the ledger it reads across accounts, everything else within the job's."""
    tables = await granted(owner, "godwit_worker", "select")
    async with worker.transaction() as tx:
        for name, seen in (await owners_seen(tx, tables)).items():
            assert (seen >= {7, 8}) if name in ACROSS else (seen == set()), name
    async with worker.transaction(account_id=7) as tx:
        for name, seen in (await owners_seen(tx, tables)).items():
            assert (seen >= {7, 8}) if name in ACROSS else (seen == {7}), name


@pytest.mark.usefixtures("two_accounts")
@pytest.mark.parametrize("role", ["web", "worker"])
async def test_what_is_another_accounts_cannot_be_written(
    web: Database, worker: Database, owner: Database, role: str
) -> None:
    """T1: not inserted, not changed, not deleted, not moved there."""
    database = web if role == "web" else worker
    insertable = await granted(owner, f"godwit_{role}", "insert")
    for name, column in insertable.items():
        if role == "worker" and name in ACROSS:
            continue
        with pytest.raises(DBAPIError, match="row-level security"):
            async with database.transaction(account_id=7) as tx:
                await tx.execute(await _copy_of_a_row(owner, name, column))
    for right, act in (
        ("update", 'update "{0}" set {1} = {1} where {1} = 8'),
        ("delete", 'delete from "{0}" where {1} = 8'),
    ):
        for name, column in (await granted(owner, f"godwit_{role}", right)).items():
            if role == "worker" and name in ACROSS:
                continue
            async with database.transaction(account_id=7) as tx:
                assert await tx.execute(act.format(name, column)) == 0, (right, name)
    for name, column in (await granted(owner, f"godwit_{role}", "update")).items():
        if role == "worker" and name in ACROSS:
            continue
        with pytest.raises(DBAPIError, match=r"row-level security|keeps its id|generated always"):
            async with database.transaction(account_id=7) as tx:
                await tx.execute(f'update "{name}" set {column} = 8')


async def _copy_of_a_row(owner: Database, name: str, column: str) -> str:
    """An insert into `name` of a row of account 8; row security answers before any constraint does."""
    columns = await asked(
        owner,
        "select attname::text as name, format_type(atttypid, atttypmod) as type from pg_attribute"
        " where attrelid = cast(:name as regclass) and attnum > 0 and not attisdropped and attidentity <> 'a'"
        " order by attnum",
        name=f'"{name}"',
    )
    values = ", ".join("8" if row.name == column else f"cast(null as {row.type})" for row in columns)
    if name == "job":
        return "insert into job (account_id, queue, kind, args, share) values (8, 'q', 'k', '{}', '8')"
    names = ", ".join(f'"{row.name}"' for row in columns)
    return f'insert into "{name}" ({names}) values ({values})'


@pytest.mark.usefixtures("two_accounts")
@pytest.mark.parametrize("table", REFUSED)
@pytest.mark.parametrize("account", [None, 7])
async def test_the_worker_may_not_read(worker: Database, table: str, account: int | None) -> None:
    """T2: drafts, sessions, codes, team are refused, not merely empty."""
    with pytest.raises(DBAPIError, match="permission denied"):
        async with worker.transaction(account_id=account) as tx:
            await tx.rows(f"select 1 from {table}")


async def test_a_pool_wired_to_the_wrong_role_stops_at_once(worker: Database) -> None:
    """T1: before a single statement of ours runs."""
    wrong = Database(worker.url, "godwit_web")
    wired = Database(worker.url, "godwit_worker")
    wired.role = "godwit_web"
    with pytest.raises(RuntimeError, match="not as godwit_web"):
        async with wired.transaction():
            pytest.fail("a transaction was handed out")
    with pytest.raises(Exception, match="not ready"):
        async with wrong.transaction():
            pytest.fail("the worker's log-in became the web")
    await wired.close()
    await wrong.close()


@pytest.mark.usefixtures("two_accounts")
async def test_a_bad_foreign_key_in_a_migration_fails_under_forced_row_security(owner: Database) -> None:
    """Engine 4: without the owner's policy the check of a new key would see no rows, and pass."""
    async with owner.transaction() as tx:
        with pytest.raises(DBAPIError, match="violates foreign key constraint"):
            async with tx.savepoint():
                await tx.execute(
                    "alter table suppression add constraint blind foreign key (account_id, address)"
                    " references reader (account_id, email)"
                )
