"""procrastinate on psycopg's pool, so many jobs at once, until there are none."""

from importlib import import_module
from typing import Any

from app.proof.peer import Peer


class This(Peer):
    """Its tables stand in the database it is given. `batch` is how many jobs are in hand at once."""

    async def open(self) -> None:
        its = import_module("procrastinate")
        connector = its.PsycopgConnector(conninfo=self.url, min_size=1, max_size=22)
        self._app: Any = its.App(connector=connector)
        await self._app.open_async()
        await self._app.schema_manager.apply_schema_async()

        async def nothing() -> None:
            return None

        self._task = self._app.task(name="nothing")(nothing)

    async def make(self) -> None:
        await self._task.defer_async()

    async def make_many(self, number: int) -> None:
        await self._task.batch_defer_async(*({} for _ in range(number)))

    async def drain(self, batch: int) -> None:
        await self._app.run_worker_async(concurrency=batch, wait=False, install_signal_handlers=False)

    async def close(self) -> None:
        await self._app.close_async()
