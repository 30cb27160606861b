"""Which workers are alive: each process says so itself, in a row of its own, beside its queues (E11).

A process that was killed or frozen says nothing any more, and counts as gone after `UNSEEN` seconds; one that
was asked to stop says that it left, so that a person is not alarmed. All by the database's real clock: a
moved one makes nobody look dead.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from typing import Any

from app.base.database import Database, Tx
from app.base.errors import Unavailable
from app.jobs import QUEUES, add_counts

#: Seconds between two signs of life, and without any until a worker counts as gone.
BEAT, UNSEEN = 5.0, 30.0
#: Seconds after which who is gone is forgotten.
KEPT = 3600.0

_BEAT = """
insert into worker as w (name, queues, version) values (:name, :queues, :version)
on conflict (name) do update set seen_at = clock_timestamp()
"""
_LEAVE = "update worker set stopped_at = clock_timestamp() where name = :name"
_FORGET = """
delete from worker where name = any (array(
    select name from worker where seen_at < clock_timestamp() - make_interval(secs => :kept)
    order by name for update skip locked))
"""
_WORKERS = """
select name, queues, version, started_at, seen_at, stopped_at,
       cast(extract(epoch from clock_timestamp() - seen_at) as double precision) as silent
from worker order by seen_at < clock_timestamp() - make_interval(secs => :unseen), started_at, name
"""


@dataclass(frozen=True)
class Worker:
    """A worker process that was there within the hour; `silent` is seconds since its last sign of life."""

    name: str
    queues: tuple[str, ...]
    version: str
    started_at: datetime
    seen_at: datetime
    stopped_at: datetime | None
    silent: float

    @property
    def state(self) -> str:
        """alive, stopped (it said so) or gone (it said nothing)."""
        if self.stopped_at is not None:
            return "stopped"
        return "alive" if self.silent <= UNSEEN else "gone"


class Presence:
    """One worker process's row."""

    def __init__(self, name: str, queues: Sequence[str]) -> None:
        self._name, self._queues, self._version = name, list(queues), version("godwit")

    async def beat(self, database: Database) -> set[str]:
        """Be seen, add what was counted, forget who is long gone. What is lost by a crash is told again."""
        async with database.transaction(lasting=False) as tx:
            await tx.execute(_BEAT, name=self._name, queues=self._queues, version=self._version)
            await tx.execute(_FORGET, kept=KEPT)
            await add_counts(tx)
        return set()

    async def leave(self, database: Database) -> None:
        """The last words of a process that stops; without them it is seen to be gone a little later."""
        with suppress(Unavailable, TimeoutError):
            async with database.transaction() as tx:
                await tx.execute(_LEAVE, name=self._name)
                await add_counts(tx)


async def workers(tx: Tx) -> list[Worker]:
    """Those that were there within the hour, the living first."""
    rows: list[Any] = await tx.rows(_WORKERS, unseen=UNSEEN)
    return [Worker(row[0], tuple(row[1]), *row[2:]) for row in rows]


def unserved(found: Sequence[Worker]) -> list[str]:
    """Queues that no worker has been seen for. Who stopped a moment ago may be starting anew: it counts."""
    served = {queue for one in found if one.silent <= UNSEEN for queue in one.queues}
    return [queue for queue in QUEUES if queue not in served]
