"""How the account calls what filters know by id."""

from app.audiences.segmenting import segments
from app.audiences.telling import Names
from app.base.database import Tx
from app.plans import plans
from app.readers import newsletters

MOST_EMAILS = 1000
# Broadcasts stand above: their names are read, and no more.
_EMAILS = """
select b.id, r.title from broadcast b
join revision r on r.account_id = b.account_id and r.id = b.revision_id
where b.account_id = :account order by b.pressed_at desc limit :most
"""


async def names_in(tx: Tx) -> Names:
    """Of every newsletter, plan and segment, also the archived ones, and of the newest emails."""
    return Names(
        newsletters={one.id: one.name for one in await newsletters(tx)},
        plans={one.id: one.name for one in await plans(tx, archived=True)},
        segments={one.id: one.name for one in await segments(tx)},
        emails={row.id: row.title for row in await tx.rows(_EMAILS, account=tx.account_id, most=MOST_EMAILS)},
    )
