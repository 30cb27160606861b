"""What is asked about broadcasts: their rows, with the figures of their mailings."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Select

from app.audiences import select_readers, stored_filter
from app.base.database import Tx
from app.ledger import MailingView, mailing_views


@dataclass(frozen=True)
class BroadcastView:
    """A broadcast with its mailing. `left_out` counts by cause who was not in the audience.

    `segment_id` is of the segment that it went to, `segment_name` what it was called; None for everybody.
    """

    id: UUID
    post_id: UUID
    revision_id: UUID
    release: int | None
    newsletter_id: UUID
    newsletter_name: str
    newsletter_slug: str
    title: str
    subject: str
    preheader: str
    again: bool
    left_out: dict[str, int]
    pressed_by_name: str
    pressed_at: datetime
    segment_id: UUID | None
    segment_name: str | None
    mailing: MailingView


@dataclass(frozen=True)
class Target:
    """Where the copies of a broadcast are, and whom they are for: `filter` as it is stored, None for all."""

    mailing_id: UUID
    newsletter_id: UUID
    filter: dict[str, Any] | None
    access: str
    plan_id: UUID | None

    def readers(self, before: datetime | None = None) -> Select[Any]:
        """Who it is for now, each with the variant they get; `before` as for `select_readers`."""
        return select_readers(
            self.newsletter_id,
            before=before,
            filter=stored_filter(self.filter) if self.filter is not None else None,
            access=self.access,
            plan_id=self.plan_id,
        )


_TARGET = """
select b.mailing_id, b.newsletter_id, b.filter, r.access, r.plan_id
from broadcast b join revision r on r.account_id = b.account_id and r.id = b.revision_id
where b.account_id = :account and b.id = :broadcast
"""
_BROADCASTS = """
select b.id, b.post_id, b.revision_id, b.release, b.newsletter_id, n.name as newsletter_name,
       n.slug as newsletter_slug, r.title, b.subject, b.preheader, b.again, b.left_out, b.pressed_by_name,
       b.pressed_at, b.segment_id, b.segment_name, b.mailing_id
from broadcast b
join newsletter n on n.account_id = b.account_id and n.id = b.newsletter_id
join revision r on r.account_id = b.account_id and r.id = b.revision_id
where b.account_id = :account
"""
_ONE = _BROADCASTS + " and b.id = :broadcast"
_PAGE = (
    _BROADCASTS
    + """
  and (cast(:at as timestamptz) is null or (b.pressed_at, b.id) < (:at, cast(:before as uuid)))
order by b.pressed_at desc, b.id desc
limit :most
"""
)


async def broadcast_view(tx: Tx, broadcast_id: UUID) -> BroadcastView | None:
    """One broadcast of the transaction's account, or None."""
    found = await _with_mailings(tx, await tx.rows(_ONE, account=tx.account_id, broadcast=broadcast_id))
    return found[0] if found else None


async def target_of(tx: Tx, broadcast_id: UUID) -> Target | None:
    """The mailing of a broadcast and whom it is for, or None: what whoever acts on it needs."""
    row = await tx.row(_TARGET, account=tx.account_id, broadcast=broadcast_id)
    return Target(*row) if row else None


async def broadcasts(
    tx: Tx, *, before: tuple[datetime, UUID] | None = None, most: int = 50
) -> list[BroadcastView]:
    """A page of broadcasts, newest first; `before` is (pressed_at, id) of the last one of the page before."""
    at, last = before or (None, None)
    rows = await tx.rows(_PAGE, account=tx.account_id, at=at, before=last, most=most)
    return await _with_mailings(tx, rows)


async def _with_mailings(tx: Tx, rows: list[Any]) -> list[BroadcastView]:
    mailings = await mailing_views(tx, [row.mailing_id for row in rows])
    return [BroadcastView(*row[:-1], mailing=mailings[row.mailing_id]) for row in rows]
