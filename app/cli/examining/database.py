"""The database: each log-in, whom it is, whether the schema is this version's, and row security (T1)."""

import time
from pathlib import Path
from typing import Any

import asyncpg
from alembic.config import Config
from alembic.script import ScriptDirectory

from app.base.database import Database, Role, in_words
from app.base.errors import GodwitError
from app.base.settings import Settings
from app.cli.examining.findings import Finding, look, well, wrong

ROLES: tuple[Role, ...] = ("web", "worker", "operator")
_OLDEST = 150_000  # server_version_num; architecture tests run on 15 too
_WHO = """
select session_user::text as login, r.rolsuper, r.rolbypassrls,
       pg_has_role(session_user, 'godwit_owner', 'member') as owns,
       current_setting('server_version_num')::int as version
from pg_roles r where r.rolname = session_user
"""
_STANDS = "select version_num from alembic_version"
#: Tables with an account's rows, their partitions too, and whether their policies hold for everybody.
_UNGUARDED = """
select c.relname::text as name
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname = 'public' and c.relkind in ('r', 'p') and not (c.relrowsecurity and c.relforcerowsecurity)
  and (c.relname = 'account' or exists (
      select from pg_attribute a
      where a.attrelid = c.oid and a.attname = 'account_id' and not a.attisdropped))
order by c.relname
"""
_READABLE = """
select c.relname::text as name
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition
  and has_table_privilege(c.oid, 'select')
  and exists (select from pg_attribute a
              where a.attrelid = c.oid and a.attname = 'account_id' and not a.attisdropped)
order by c.relname
"""
_MIGRATIONS = Path(__file__).resolve().parents[3] / "migrations"
_CLOCKS = "select extract(epoch from clock_timestamp())::float8, extract(epoch from godwit_now())::float8"
#: Seconds. Nothing is decided by a process's own clock, but receivers and TLS judge by it.
_APART, _FAR_APART = 2.0, 60.0


async def examine_log_ins(told: Settings) -> list[Finding]:
    """Whether each process gets in, as the role it should have and as nobody more."""
    found = [await _log_in(role, told) for role in ROLES]
    return found if any(one.level == "wrong" for one in found) else [*found, await _schema(told)]


async def examine_rows() -> list[Finding]:
    """Whether the policies are there, and do what they are for: without an account, no rows."""
    async with _transaction("web") as tx:
        bare = [row.name for row in await tx.rows(_UNGUARDED)]
        seen = [
            row.name
            for row in await tx.rows(_READABLE)
            if await tx.value(f'select exists (select from "{row.name}" where account_id <> 0)')
        ]
    found = [
        wrong(
            "row security",
            f"The rows of {name} are not kept apart by account.",
            f"As the owner: alter table {name} enable row level security, force row level security;",
        )
        for name in bare
    ]
    found += [
        wrong(
            "row security",
            f"godwit_web reads rows of {name} although it is in no account.",
            f"Look for policies on {name} that are not in migrations/schema.sql, and drop them.",
        )
        for name in seen
    ]
    return found or [
        well("row security", "Without an account the web process reads no rows; all tables are kept apart.")
    ]


async def examine_clock(told: Settings) -> list[Finding]:
    """Whether this machine's clock is the database's, and the database's is the world's."""
    async with _transaction("web") as tx:
        before = time.time()
        clock, godwit = (await tx.rows(_CLOCKS))[0]
        apart = abs((before + time.time()) / 2 - clock)
    found: list[Finding] = []
    if told.mode == "production" and abs(godwit - clock) > _APART:
        found.append(
            wrong("clock", "The clock of Godwit was moved.", "As the owner: update clock set ahead = '0';")
        )
    if apart <= _APART:
        return found or [well("clock", f"This machine and the database are {apart * 1000:.0f} ms apart.")]
    said = f"This machine and the database are {apart:.0f} seconds apart."
    fix = "Have both set by NTP (timedatectl set-ntp true), then look again."
    return [*found, wrong("clock", said, fix) if apart > _FAR_APART else look("clock", said, fix)]


async def _log_in(role: Role, told: Settings) -> Finding:
    name = "DATABASE_URL" if told.mode != "production" else f"GODWIT_{role.upper()}_DATABASE_URL"
    try:
        async with _transaction(role) as tx:
            who: Any = await tx.row(_WHO)
    except GodwitError as error:
        why = in_words(error.__cause__ or error)
        fix = f"Look whether the server runs, at {name}, and whether godwit migrate ran."
        return wrong("database", f"{role} does not get in: {why}", fix)
    except RuntimeError as error:  # another role than the one asked for
        return wrong("database", f"{role} is {error}.", f"Give {name} a log-in that may be godwit_{role}.")
    if who.rolsuper or who.rolbypassrls or who.owns:
        what = (
            "a superuser" if who.rolsuper else "above row security" if who.rolbypassrls else "the owner too"
        )
        said = f"The log-in {who.login} of {role} is {what}: a slip in it would show every account's rows."
        fix = f"Make one that is only a member of godwit_{role}, and give it in {name}."
        return wrong("database", said, fix)
    if who.version < _OLDEST:
        return wrong(
            "database", f"PostgreSQL {who.version // 10000} is too old.", "Use PostgreSQL 15 or newer."
        )
    return well("database", f"{role} gets in as {who.login}, and is nobody more.")


async def _schema(told: Settings) -> Finding:
    script = Config()
    script.set_main_option("script_location", str(_MIGRATIONS))
    wanted = ScriptDirectory.from_config(script).get_current_head()
    try:
        stands = await _version(told)
    except (asyncpg.PostgresError, OSError) as error:
        return look(
            "database",
            f"The owner (DATABASE_URL) does not get in, so nobody knows the schema's version: {error}",
            "It is needed to migrate alone; give it here too if you want to know.",
        )
    if stands == wanted:
        return well("database", f"The schema is this version's ({wanted}).")
    return wrong(
        "database", f"The schema is {stands or 'empty'}, this version's is {wanted}.", "Run: godwit migrate"
    )


async def _version(told: Settings) -> str | None:
    url = told.database.owner_url
    if not url:
        raise OSError("it is not given")
    connection = await asyncpg.connect(url, timeout=10, server_settings={"role": "godwit_owner"})
    try:
        return await connection.fetchval(_STANDS)
    except asyncpg.UndefinedTableError:
        return None
    finally:
        await connection.close()


def _transaction(role: Role) -> Any:
    return Database.for_role(role, pooled=False).transaction()
