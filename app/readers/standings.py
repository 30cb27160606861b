"""What a row of an import says of newsletters other than the import's own."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from app.base.database import Tx
from app.base.statements import sql
from app.readers.states import SubscriptionState

NOT_HERE = (
    "There is no newsletter “{}” here. Make one with this short name first, or take it out of the row;"
    " nothing was added from it."
)
_ORDER = ("active", "pending", "unsubscribed")


@dataclass(frozen=True)
class Elsewhere:
    """Where the reader of a row stands with one newsletter, and what that rests on."""

    number: int
    reader_id: UUID
    newsletter_id: UUID
    state: SubscriptionState
    how: str
    joined_at: datetime | None


@dataclass
class Settled:
    """Of one row: its best state now, and what was written, for the undoing of an import."""

    state: str = "unsubscribed"
    changes: list[dict[str, Any]] = field(default_factory=list)


async def settle_elsewhere(tx: Tx, told: Sequence[Elsewhere], import_id: UUID | None) -> dict[int, Settled]:
    """Bring each into that newsletter as a row of an import does in its own (R2); answers by row."""
    found: dict[int, Settled] = {}
    if not told:
        return found
    rows = await tx.rows(
        sql(__package__, "import_standings"),
        account=tx.account_id,
        rows=[asdict(one) for one in told],
        **{"import": import_id},
    )
    for row in rows:
        one = found.setdefault(row.number, Settled())
        one.state = min(one.state, row.became or row.was, key=_ORDER.index)
        if row.became:
            one.changes.append({"newsletter": str(row.newsletter_id), "became": row.became, "was": row.was})
    return found
