"""What is not as it should be, in a sentence each: asked by /readyz, the console and `godwit doctor`.

| finding    | means                                                     |
|------------|-----------------------------------------------------------|
| database   | it does not answer this process                           |
| workers    | nobody was seen for these queues within half a minute     |
| look       | no worker has looked whether this database is a backup    |
| due_work   | work nobody is at has waited for longer than its limit    |
| partitions | the table of tries has no part for this or the next month |

What a switch keeps back is not due; nor does work count that waits behind work of the same share (an account,
an endpoint) which somebody is at, or behind an endpoint that fails: a receiver that hangs turns nothing red.
"""

from dataclasses import dataclass
from typing import Any

from app.base.database import Tx
from app.jobs import overdue_work
from app.ops.presence import UNSEEN, unserved, workers

#: Seconds that due work may wait: where somebody sits before the code page, and elsewhere.
LIMITS, LIMIT = {"codes_creators": 60.0, "codes_readers": 60.0}, 300.0

_MONTHS = """
select to_char(month, 'YYYY-MM') as month
from generate_series(date_trunc('month', clock_timestamp() at time zone 'UTC'),
                     date_trunc('month', clock_timestamp() at time zone 'UTC') + interval '1 month',
                     interval '1 month') as month
where not exists (
    select from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = cast('public.attempt' as regclass)
      and c.relname = 'attempt_' || to_char(month, 'YYYY_MM'))
order by month
"""


@dataclass(frozen=True)
class Finding:
    """One thing that is not well, and what to do."""

    topic: str
    said: str
    fix: str


async def find_trouble(tx: Tx) -> list[Finding]:
    """All that is not well now; nothing when everything is. As anybody who runs."""
    absent = await _workers(tx)
    return [*absent, *([] if absent else await _look(tx)), *await _due_work(tx), *await _partitions(tx)]


async def _workers(tx: Tx) -> list[Finding]:
    missing = unserved(await workers(tx))
    if not missing:
        return []
    fix = "Start godwit worker, or read what it said last."
    said = f"No worker was seen for {', '.join(missing)} in the last {UNSEEN:.0f} seconds."
    return [Finding("workers", said, fix)]


async def _look(tx: Tx) -> list[Finding]:
    if await tx.value("select database_known()"):
        return []
    said = "Mail waits: no worker has looked at this database since it was loaded, or its server began."
    fix = "Read what the workers said last. A backup that was loaded with errors is to be loaded anew."
    return [Finding("look", said, fix)]


async def _due_work(tx: Tx) -> list[Finding]:
    late = [(queue, waited) for queue, waited in await overdue_work(tx) if waited > LIMITS.get(queue, LIMIT)]
    if not late:
        return []
    said = "; ".join(f"{queue} for {waited:.0f} seconds" for queue, waited in sorted(late))
    return [
        Finding(
            "due_work",
            f"Due work waits and nobody is at it: {said}.",
            "See whether a worker of this version runs, and what waits: /console, or godwit jobs.",
        )
    ]


async def _partitions(tx: Tx) -> list[Finding]:
    rows: list[Any] = await tx.rows(_MONTHS)
    if not rows:
        return []
    said = f"The table of tries has no part for {', '.join(row.month for row in rows)}."
    fix = (
        "Look at the job maintain_attempts in /console/jobs; "
        "in its place, until it is false: select maintain_attempts()"
    )
    return [Finding("partitions", said, fix)]
