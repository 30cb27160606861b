"""How many tries of each kind ended how: counted in the process, added to the database every few seconds.

The attempts say the same for good, one by one; to count a million of them for each look would be slower than
to have counted. What a killed worker had not added yet is missing here, and only here.
"""

from collections import Counter
from typing import Any

from app.base.database import Tx

#: An outcome of its own: the lease was lost, so whatever came of the try changed nothing (E4).
LATE = "late"
#: And one that the sweep notes: the lease ran out.
LOST = "lost"

_ADD = """
insert into outcome_count as o (queue, kind, outcome, n, minute, this_minute)
select one.queue, one.kind, one.outcome, one.n, date_trunc('minute', clock_timestamp()), one.n
from jsonb_to_recordset(cast(:counts as jsonb)) as one (queue text, kind text, outcome text, n bigint)
order by one.kind, one.outcome, one.queue
on conflict (kind, outcome, queue) do update set
    n = o.n + excluded.n,
    this_minute = excluded.this_minute + case when o.minute >= excluded.minute then o.this_minute else 0 end,
    last_minute = case when o.minute >= excluded.minute then o.last_minute
                       when o.minute = excluded.minute - interval '1 minute' then o.this_minute else 0 end,
    minute = greatest(o.minute, excluded.minute)  -- who waited for the row may come with an old one
"""
_counted: Counter[tuple[str, str, str]] = Counter()


def count_outcome(queue: str, kind: str, outcome: str) -> None:
    """One try ended so."""
    _counted[queue, kind, outcome] += 1


async def add_counts(tx: Tx) -> None:
    """Add what was counted since; it is counted again when the transaction fails."""
    taken = dict(_counted)
    if not taken:
        return
    counts: list[dict[str, Any]] = [
        {"queue": queue, "kind": kind, "outcome": outcome, "n": n}
        for (queue, kind, outcome), n in taken.items()
    ]
    await tx.execute(_ADD, counts=counts)

    async def added() -> None:
        _counted.subtract(taken)
        for one in [one for one, n in _counted.items() if not n]:
            del _counted[one]

    tx.after_commit(added)
