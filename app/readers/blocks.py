"""The blocked addresses of an account, to look through; and what is known of one of them."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from app.base.addresses import display
from app.base.database import Tx
from app.suppressions import REASONS, Reason, Suppression


@dataclass(frozen=True)
class BlockLine:
    """One blocked address, and the reader who has it, if there is one."""

    block: Suppression
    reader_id: UUID | None

    @property
    def address(self) -> str:
        """As people read it; '' when only a hash of it is left."""
        return display(self.block.address) if "@" in self.block.address else ""


_LINES = """
select x.address, x.reason, x.detail, x.created_at, r.id as reader_id
from suppression x left join reader r on r.account_id = x.account_id and r.email = x.address
where (cast(:reason as text) = '' or x.reason = :reason)
  and (cast(:at as timestamptz) is null or (x.created_at, x.address) < (:at, cast(:before as text)))
order by x.created_at desc, x.address desc limit :most
"""
_COUNTS = "select reason, count(*) as n from suppression group by reason"


async def blocked_addresses(
    tx: Tx, *, reason: str = "", before: tuple[datetime, str] | None = None, most: int = 50
) -> list[BlockLine]:
    """Newest first; `before` is (created_at, address) of the last one of the page before."""
    at, last = before or (None, None)
    rows = await tx.rows(_LINES, reason=reason, at=at, before=last, most=most)
    return [
        BlockLine(Suppression(row.address, row.reason, row.detail, row.created_at), row.reader_id)
        for row in rows
    ]


async def blocked_counts(tx: Tx) -> dict[Reason, int]:
    """How many by reason, all of them."""
    found = {row.reason: row.n for row in await tx.rows(_COUNTS)}
    return {reason: found.get(reason, 0) for reason in REASONS}
