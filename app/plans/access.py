"""May they read it? The one rule, for page, mail, feed and API (promises 1 and 2)."""

from dataclasses import dataclass
from uuid import UUID

from app.base.database import Tx


@dataclass(frozen=True)
class Viewer:
    """Whoever looks. `subscribed`: to any newsletter, confirmed; `plans`: those they have right now."""

    reader_id: UUID | None
    subscribed: bool
    plans: frozenset[UUID]


NOBODY = Viewer(None, False, frozenset())
"""A stranger, or somebody who is not signed in."""

_VIEWER = """
select exists (select from subscription s where s.account_id = r.account_id and s.reader_id = r.id
               and s.state = 'active') as subscribed,
       array(select distinct e.plan_id from entitlement e
             where e.account_id = r.account_id and e.reader_id = r.id and e.starts_at <= godwit_now()
               and (e.ends_at is null or e.ends_at > godwit_now())) as plans
from reader r where r.account_id = :account and r.id = :reader
"""


def may_read(access: str, plan_id: UUID | None, viewer: Viewer) -> bool:
    """Whether the viewer reads the whole of what has this access; `plan_id` for access `plan`."""
    match access:
        case "everyone":
            return True
        case "subscribers":
            return viewer.subscribed or bool(viewer.plans)
        case "paid":
            return bool(viewer.plans)
        case "plan":
            return plan_id in viewer.plans
        case _:
            return False


async def viewer_of(tx: Tx, reader_id: UUID | None) -> Viewer:
    """What this reader may read now; NOBODY for None and for one who is not there any more."""
    if reader_id is None:
        return NOBODY
    row = await tx.row(_VIEWER, account=tx.account_id, reader=reader_id)
    return Viewer(reader_id, row.subscribed, frozenset(row.plans)) if row else NOBODY
