"""What waits for its time, and what became of what did: as its pages and home tell it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from app.base.database import Tx
from app.base.errors import NotFound
from app.base.statements import sql
from app.base.zones import moment_at
from app.publishing.scheduling import GONE
from app.publishing.states import ScheduledState
from app.publishing.wording import When, when


@dataclass(frozen=True)
class Scheduled:
    """A publication at a time. `email` is as it was asked for (wanted.stored), None for the site alone.

    `changed_since`: the draft was saved after the version was frozen that goes out. `slug` is the address on
    the site that it was promised.
    """

    id: UUID
    post_id: UUID
    revision_id: UUID
    title: str
    access: str
    plan_id: UUID | None
    excerpt: str
    at: datetime
    zone: str
    wall: str
    site: bool
    slug: str | None
    email: dict[str, Any] | None
    state: ScheduledState
    reason: str | None
    release: int | None
    broadcast_id: UUID | None
    made_by_name: str
    created_at: datetime
    ended_at: datetime | None
    changed_since: bool

    @property
    def when(self) -> When:
        """Its time in words, in the zone it was asked for in."""
        return when(moment_at(self.at, self.zone))


async def scheduled_list(tx: Tx, most: int = 100) -> list[Scheduled]:
    """What waits, soonest first; then what is over, newest first."""
    return await _found(tx, most=most)


async def scheduled(tx: Tx, scheduled_id: UUID) -> Scheduled:
    """One of them. Raises NotFound."""
    found = await _found(tx, id=scheduled_id)
    if not found:
        raise NotFound(GONE)
    return found[0]


async def waiting_of(tx: Tx, post_id: UUID) -> Scheduled | None:
    """What of this post waits for its time."""
    found = await _found(tx, post=post_id, state="waiting")
    return found[0] if found else None


async def next_scheduled(tx: Tx) -> Scheduled | None:
    """What goes out next."""
    found = await _found(tx, state="waiting")
    return found[0] if found else None


async def failed_lately(tx: Tx) -> Scheduled | None:
    """The newest that failed within thirty days, unless its post was scheduled or published since."""
    row = await tx.row(_FAILED, account=tx.account_id)
    return await scheduled(tx, row.id) if row else None


_FAILED = """
select s.id from scheduled s
where s.account_id = :account and s.state = 'failed' and s.ended_at > godwit_now() - interval '30 days'
  and not exists (select from scheduled later where later.account_id = s.account_id
                  and later.post_id = s.post_id and later.created_at > s.ended_at)
  and not exists (select from publication p where p.account_id = s.account_id
                  and p.post_id = s.post_id and p.pressed_at > s.ended_at)
order by s.ended_at desc limit 1
"""


async def _found(tx: Tx, most: int = 1, **wanted: object) -> list[Scheduled]:
    binds = {"id": None, "post": None, "state": None, "most": most, **wanted}
    rows = await tx.rows(sql(__package__, "scheduled"), account=tx.account_id, **binds)
    return [Scheduled(**{**row._mapping, "state": ScheduledState(row.state)}) for row in rows]
