"""Bring a database to the newest schema: roles, Alembic, and what exists outside production only."""

import asyncio
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote, urlsplit

import asyncpg
from alembic import command
from alembic.config import Config

from app.base.derived import derived_password

HERE = Path(__file__).parent
#: The row by which a database knows that it is the one it was; a loaded dump brings its own.
INSTALLED = """
insert into installation (written_by, timeline, server_started)
values ((pg_current_xact_id()::text::numeric % 4294967296)::bigint,
        left(pg_walfile_name(pg_current_wal_lsn()), 8), pg_postmaster_start_time())
on conflict do nothing
"""
RUNTIME_ROLES = ("godwit_web", "godwit_worker", "godwit_operator")


def migrate_database(owner_url: str, mode: str) -> None:
    """Create roles, run every migration that is missing, keep partitions ahead. Safe to run again.

    `mode` is GODWIT_MODE: outside production the runtime roles get log-ins derived from the
    owner's, and the mailbox provider its table.
    """
    asyncio.run(_prepare_roles(owner_url, mode))
    config = Config()
    config.set_main_option("script_location", str(HERE))
    config.attributes["owner_url"] = owner_url
    command.upgrade(config, "head")
    asyncio.run(_finish(owner_url, mode))


async def _prepare_roles(owner_url: str, mode: str) -> None:
    connection = await asyncpg.connect(owner_url)
    try:
        await connection.execute((HERE / "roles.sql").read_text("utf-8"))
        if mode != "production":
            secret = unquote(urlsplit(owner_url).password or "")
            for role in RUNTIME_ROLES:
                password = derived_password(secret, role)
                await connection.execute(f"alter role {role} login password '{password}'")
    finally:
        await connection.close()


async def _finish(owner_url: str, mode: str) -> None:
    connection = await asyncpg.connect(owner_url, server_settings={"role": "godwit_owner"})
    try:
        await connection.execute(INSTALLED)
        with suppress(asyncpg.LockNotAvailableError):  # somebody reads tries: the daily job goes on with it
            while await connection.fetchval("select maintain_attempts()"):
                pass
        if mode != "production":
            await connection.execute((HERE / "mailbox.sql").read_text("utf-8"))
    finally:
        await connection.close()
