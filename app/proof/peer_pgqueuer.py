"""pgqueuer, as its makers show it: asyncpg, one connection, drained to the end."""

from importlib import import_module
from typing import Any

import asyncpg

from app.proof.peer import Peer


class This(Peer):
    """Its tables stand in the database it is given."""

    async def open(self) -> None:
        self._line: Any = await asyncpg.connect(self.url)
        self._lines = await asyncpg.create_pool(self.url, min_size=16, max_size=16)
        queries = import_module("pgqueuer.queries").Queries
        self._queries = queries.from_asyncpg_connection(self._line)
        self._shared = queries.from_asyncpg_pool(self._lines)
        await self._queries.install()

    async def make(self) -> None:
        await self._shared.enqueue("nothing", None)

    async def make_many(self, number: int) -> None:
        await self._queries.enqueue(["nothing"] * number, [None] * number, [0] * number)

    async def drain(self, batch: int) -> None:
        await self._line.execute("analyze")
        app = import_module("pgqueuer").PgQueuer.from_asyncpg_connection(self._line)

        async def nothing(job: object) -> None:
            return None

        app.entrypoint("nothing")(nothing)
        await app.run(batch_size=batch, mode=import_module("pgqueuer.types").QueueExecutionMode.drain)

    async def close(self) -> None:
        await self._lines.close()
        await self._line.close()
