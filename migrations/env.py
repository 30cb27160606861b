"""How Alembic reaches the database: as godwit_owner, one migrator at a time, no long wait for a lock."""

import asyncio

from alembic import context
from sqlalchemy import Connection, text
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

#: Any number, the same for every migrator: only one migrates at a time.
MIGRATOR_LOCK = 7_265_001


def _migrate(connection: Connection) -> None:
    context.configure(connection=connection, transaction_per_migration=True)
    connection.execute(text("select pg_advisory_lock(:lock)"), {"lock": MIGRATOR_LOCK})
    connection.commit()
    with context.begin_transaction():
        context.run_migrations()


async def _online() -> None:
    url = context.config.attributes["owner_url"].replace("postgresql://", "postgresql+asyncpg://", 1)
    settings = {"role": "godwit_owner", "lock_timeout": "5s", "statement_timeout": "10min"}
    engine = create_async_engine(url, poolclass=NullPool, connect_args={"server_settings": settings})
    async with engine.connect() as connection:
        await connection.run_sync(_migrate)
    await engine.dispose()


asyncio.run(_online())
