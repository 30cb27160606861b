"""Evidence: a definite word, at any time, that a copy was taken in a certain batch.

It settles the copy if the copy is free, and never hides that the same reader's copy meanwhile left in another
batch: that one is listed as a possible double (L1).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from app.base.database import Tx
from app.base.statements import sql

_DOUBLES = """
select reader_id, batch_id, other_batch_id, why, seen_at from possible_double
where account_id = :account and mailing_id = :mailing
order by seen_at, reader_id limit :most
"""


@dataclass(frozen=True)
class Applied:
    """What evidence changed: copies that are `sent` by it, and those listed as possible doubles."""

    sent: int
    doubles: int


@dataclass(frozen=True)
class PossibleDouble:
    """A reader who may have got a mailing twice: in `batch_id` and `other_batch_id` (None: a later one)."""

    reader_id: UUID
    batch_id: UUID
    other_batch_id: UUID | None
    why: str
    seen_at: datetime


async def apply_evidence(tx: Tx, batch_id: UUID, readers: Sequence[UUID], *, why: str) -> Applied:
    """The copies of `readers` in this batch were taken by the provider; `why` says how we know.

    Applies to whatever the rows have become. Who left in another batch meanwhile is listed as a possible
    double, not counted twice.
    """
    row = await tx.row(
        sql(__package__, "evidence"), account=tx.account_id, batch=batch_id, readers=list(readers), why=why
    )
    assert row is not None
    return Applied(int(row.sent), int(row.doubles))


async def possible_doubles(tx: Tx, mailing_id: UUID, *, most: int = 50) -> list[PossibleDouble]:
    """The readers who may have got it twice, oldest first."""
    rows = await tx.rows(_DOUBLES, account=tx.account_id, mailing=mailing_id, most=most)
    return [PossibleDouble(*row) for row in rows]
