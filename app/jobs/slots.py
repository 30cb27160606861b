"""Repeated work: one run per slot over all machines, caught up within its grace (E8).

The key of a slot's job is name@slot: whoever comes first makes it, all others find the key known.
A slot is a whole multiple of `every` in UTC, by the database's clock.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from app.base.database import Tx
from app.jobs.queue import enqueue_platform
from app.jobs.registry import kind_of

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_KNOWN = "select kind, key from job_key where account_id = 0 and key = any (:keys)"


@dataclass(frozen=True)
class Scheduled:
    """One line of the schedule: `args` is enqueued for each slot; a minute or more apart."""

    name: str
    every: timedelta
    grace: timedelta
    args: object


def slots_due(now: datetime, every: timedelta, grace: timedelta) -> list[datetime]:
    """The slots that have come and whose grace is not over, oldest first."""
    found: list[datetime] = []
    slot = now - (now - _EPOCH) % every
    while slot + grace > now:
        found.append(slot)
        slot -= every
    return found[::-1]


def slot_key(name: str, slot: datetime) -> str:
    """The key of a slot's job, to the minute: pruning knows it by its form (sql/prune_keys.sql)."""
    return f"{name}@{slot.astimezone(UTC):%Y-%m-%dT%H:%MZ}"


async def enqueue_slots(tx: Tx, schedule: Sequence[Scheduled]) -> set[str]:
    """Make the jobs of the slots that are due and not made yet; answers their queues."""
    now: datetime = await tx.value("select godwit_now()")
    due = {
        (kind_of(line.args).name, slot_key(line.name, slot)): (line, slot)
        for line in schedule
        for slot in slots_due(now, line.every, line.grace)
    }
    known = {(row.kind, row.key) for row in await tx.rows(_KNOWN, keys=[key for _, key in due])}
    made: set[str] = set()
    for (kind, key), (line, slot) in due.items():
        if (kind, key) in known:
            continue
        if await enqueue_platform(tx, line.args, key=key, expires_at=slot + line.grace):
            made.add(kind_of(line.args).queue)
    return made
