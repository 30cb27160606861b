"""Jobs that nobody will do any more, for those whose work they carried on (E2)."""

from typing import Any

from app.base.database import Tx

# Account by account: of a queue one has few, and all that ended lately may be millions.
_GIVEN_UP = """
select j.account_id, j.kind, j.args, coalesce(j.reason, '') as reason
from account a
join job j on j.account_id = a.id and j.queue = :queue and j.kind = any (cast(:kinds as text[]))
          and j.state in ('dead', 'discarded')
where not exists (select from job o where o.account_id = j.account_id and o.queue = j.queue
                  and o.kind = j.kind and o.args = j.args and o.state in ('ready', 'leased', 'held'))
order by j.account_id, j.id
"""


async def given_up(tx: Tx, queue: str, *kinds: str) -> list[Any]:
    """Those of every account that are dead or discarded: `account_id`, `kind`, `args` and `reason`.

    None whose like is there anew. Whoever asks ends what it carried on by compare-and-set: it is told again.
    """
    return list(await tx.rows(_GIVEN_UP, queue=queue, kinds=list(kinds)))
