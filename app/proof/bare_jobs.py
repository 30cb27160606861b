"""The bare statements of a queue: claim and settle, nothing that a worker, a trigger or a record would add.

Claims on one connection while the last claim is settled on the other.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

import asyncpg

from app.proof.peer import AT_ONCE, Peer

_MAKE = """
create table bare (id bigint generated always as identity primary key, queue text not null,
    args jsonb not null, state text not null default 'ready', run_at timestamptz not null default now(),
    lease bigint, leased_until timestamptz, finished_at timestamptz)
"""
_INDEX = "create index on bare (queue, run_at, id) where finished_at is null"
_ONE = "insert into bare (queue, args) values ('nothing', '{}')"
_MANY = "insert into bare (queue, args) select 'nothing', one from unnest(cast($1 as jsonb[])) as one"
_CLAIM = """
update bare set state = 'leased', lease = coalesce(lease, 0) + 1, leased_until = now() + interval '1 minute'
where id = any (array(select id from bare where queue = 'nothing' and state = 'ready' and finished_at is null
                      and run_at <= now() order by run_at, id limit $1 for update skip locked))
returning id, args, lease
"""
_SETTLE = """
update bare set state = 'done', finished_at = now(), leased_until = null
where id = any ($1) and lease = 1 and state = 'leased'
"""


class This(Peer):
    """A table of its own in the database it is given."""

    async def open(self) -> None:
        self._lines = await asyncpg.create_pool(self.url, min_size=2, max_size=AT_ONCE)
        await self._lines.execute(_MAKE)
        await self._lines.execute(_INDEX)

    async def make(self) -> None:
        await self._lines.execute(_ONE)

    async def make_many(self, number: int) -> None:
        await self._lines.execute(_MANY, ["{}"] * number)

    async def drain(self, batch: int) -> None:
        await self._lines.execute("analyze bare")
        async with self._lines.acquire() as claims, self._lines.acquire() as settles:
            rows = await claims.fetch(_CLAIM, batch)
            while rows:
                settling = asyncio.create_task(_settle(settles, rows))
                rows = await claims.fetch(_CLAIM, batch)
                await settling

    async def close(self) -> None:
        await self._lines.close()


async def _settle(line: Any, rows: Sequence[asyncpg.Record]) -> None:
    await line.execute(_SETTLE, [row["id"] for row in rows])
