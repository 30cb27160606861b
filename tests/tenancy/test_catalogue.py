"""T1 and T2 in the catalogue: row security, policies, owners, views, functions."""

import pytest

from app.base.database import Database
from tests.tenancy.catalogue import ACROSS, RUNTIME, WITHIN, account_tables, asked


async def test_every_account_table_has_row_security_forced(owner: Database) -> None:
    """T1: partitions too; without force the owner's functions would see all without saying so."""
    tables = await account_tables(owner, parts=True)
    assert len(tables) > 30
    assert [table.name for table in tables if not (table.secured and table.forced)] == []


async def test_every_account_table_has_exactly_its_policies(owner: Database) -> None:
    """T1: one for the owner; one for each role that has a right, and it says: within the account."""
    for table in await account_tables(owner):
        policies = {
            row.policyname: row
            for row in await asked(
                owner,
                "select * from pg_policies where schemaname = 'public' and tablename = :t",
                t=table.name,
            )
        }
        wanted = {"owner"} | {
            role.removeprefix("godwit_") for role in RUNTIME if await has_any_right(owner, role, table.name)
        }
        assert set(policies) == wanted, table.name
        within = WITHIN.format(column=table.of)
        for name, policy in policies.items():
            across = name == "owner" or (name == "worker" and table.name in ACROSS)
            rule = "true" if across else within
            assert policy.roles == [f"godwit_{name}"], table.name
            assert (policy.permissive, policy.cmd) == ("PERMISSIVE", "ALL")
            assert " ".join(policy.qual.split()) == rule, f"{name} on {table.name}"
            assert " ".join((policy.with_check or policy.qual).split()) == rule, f"{name} on {table.name}"


async def has_any_right(owner: Database, role: str, table: str) -> bool:
    rights = "select, insert, update, delete, truncate, references, trigger"
    return (await asked(owner, "select has_table_privilege(:r, :t, :p)", r=role, t=table, p=rights))[0][0]


@pytest.mark.parametrize("part", ["attempt_default", "attempt_2%"])
async def test_nobody_reaches_round_the_policies_through_a_partition(owner: Database, part: str) -> None:
    tables = await asked(
        owner,
        "select relname::text as name from pg_class where relname like :part and relkind = 'r'",
        part=part,
    )
    assert tables
    for table in tables:
        for role in RUNTIME:
            assert not await has_any_right(owner, role, table.name)


async def test_no_runtime_role_owns_anything_or_passes_by_row_security(owner: Database) -> None:
    for role in await asked(owner, "select * from pg_roles where rolname = any(:names)", names=list(RUNTIME)):
        may = (role.rolsuper, role.rolbypassrls, role.rolcreaterole, role.rolcreatedb)
        assert not any(may), role.rolname
        owned = await asked(owner, "select relname from pg_class where relowner = :oid", oid=role.oid)
        owned += await asked(owner, "select proname from pg_proc where proowner = :oid", oid=role.oid)
        assert owned == []
        memberships = await asked(owner, "select 1 from pg_auth_members where member = :oid", oid=role.oid)
        assert memberships == [], f"{role.rolname} can become another role"
    assert await asked(owner, "select 1 from pg_roles where rolname = 'godwit_owner' and rolcanlogin") == []


@pytest.mark.parametrize("role", RUNTIME)
async def test_no_runtime_role_can_make_anything(owner: Database, role: str) -> None:
    for schema in await asked(
        owner, "select nspname::text as name from pg_namespace where nspname !~ '^pg_'"
    ):
        made = await asked(owner, "select has_schema_privilege(:r, :s, 'create')", r=role, s=schema.name)
        assert not made[0][0], schema.name


@pytest.mark.parametrize("role", RUNTIME)
async def test_no_runtime_role_may_empty_or_refer_to_a_table(owner: Database, role: str) -> None:
    """Truncate asks no policy, and a foreign key tells what is there."""
    for table in await account_tables(owner, parts=True):
        found = await asked(
            owner, "select has_table_privilege(:r, :t, 'truncate, references, trigger')", r=role, t=table.name
        )
        assert not found[0][0], table.name


async def test_views_are_read_as_whoever_asks(owner: Database) -> None:
    """T1: a plain view runs as its owner and shows every account; the operator's own apart."""
    views = await asked(
        owner,
        "select c.relname::text as name, coalesce(c.reloptions, '{}') as options from pg_class c"
        " join pg_namespace n on n.oid = c.relnamespace"
        " where c.relkind in ('v', 'm') and n.nspname = 'public'",
    )
    assert {view.name for view in views} >= {"mailable", "operator_queue"}
    for view in views:
        operators = view.name.startswith("operator_")
        assert operators or "security_invoker=true" in view.options, view.name
        if operators:
            assert not await has_any_right(owner, "godwit_web", view.name)
            assert not await has_any_right(owner, "godwit_worker", view.name)


async def test_the_operator_reads_its_views_and_no_table(owner: Database) -> None:
    for table in await account_tables(owner, parts=True):
        assert not await has_any_right(owner, "godwit_operator", table.name), table.name


async def test_functions_that_run_as_the_owner_say_why_and_are_not_for_everyone(owner: Database) -> None:
    functions = await asked(
        owner,
        "select p.oid::regprocedure::text as name, p.proconfig as config, obj_description(p.oid) as reason,"
        " has_function_privilege('public', p.oid, 'execute') as everyone"
        " from pg_proc p join pg_namespace n on n.oid = p.pronamespace"
        " where p.prosecdef and n.nspname in ('public', 'mailbox')",
    )
    assert len(functions) >= 5
    for function in functions:
        path = [one for one in function.config or [] if one.startswith("search_path=")]
        assert path == ["search_path=pg_catalog, public"], f"{function.name} has no fixed search_path"
        assert function.reason, f"{function.name} does not say why"
        assert "\n" not in function.reason
        assert not function.everyone, f"{function.name} can be called by anyone"


async def test_keys_of_account_tables_begin_with_the_account(owner: Database) -> None:
    """Rows of two accounts cannot point at each other, and the database can be sharded by account."""
    keys = await asked(
        owner,
        "select c.conrelid::regclass::text as name, c.contype::text as type, c.conname::text as key,"
        " (select attname::text from pg_attribute where attrelid = conrelid and attnum = conkey[1]) as first,"
        " c.confrelid::regclass::text as target"
        " from pg_constraint c where c.contype in ('p', 'f') and c.connamespace = 'public'::regnamespace",
    )
    tables = {table.name for table in await account_tables(owner)} - {"account"}
    #: Leased by number over all accounts; the account of a job never changes.
    by_number = {"job"}
    for key in keys:
        if key.name not in tables or key.target in ("creator",):
            continue
        if key.type == "p" and key.name in by_number:
            continue
        assert key.first == "account_id", f"{key.key} of {key.name}"


@pytest.mark.parametrize("role", RUNTIME)
async def test_a_frozen_process_stops_nobody(web, worker, owner: Database, role: str) -> None:
    """Timeouts of every runtime connection: idle in a transaction, waiting for a lock, a statement."""
    if role == "godwit_operator":
        database = Database.for_role("operator")
    else:
        database = web if role == "godwit_web" else worker
    async with database.transaction() as tx:
        for name, most in (
            ("idle_in_transaction_session_timeout", "10s"),
            ("lock_timeout", "5s"),
            ("statement_timeout", "30s"),
        ):
            assert await tx.value("select current_setting(:name)", name=name) == most
    if role == "godwit_operator":
        await database.close()
