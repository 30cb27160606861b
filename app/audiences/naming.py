"""How the account calls what filters know by id."""

from app.audiences.segmenting import segments
from app.audiences.telling import Names
from app.base.database import Tx
from app.plans import plans
from app.readers import newsletters


async def names_in(tx: Tx) -> Names:
    """Of every newsletter, plan and segment, also the archived ones."""
    return Names(
        newsletters={one.id: one.name for one in await newsletters(tx)},
        plans={one.id: one.name for one in await plans(tx, archived=True)},
        segments={one.id: one.name for one in await segments(tx)},
    )
