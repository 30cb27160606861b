"""Readers who come from elsewhere, many at a time."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any, Literal, get_args
from uuid import UUID

from app.base import ids
from app.base.database import Tx
from app.base.statements import sql
from app.readers.erasure import erased_among
from app.suppressions import recall, suppress_many

Block = Literal["bounce", "complaint", "by_hand"]
ERASED = (
    "A reader of this address was erased on request. Only they themselves can come back;"
    " nothing was added from this row."
)


@dataclass(frozen=True)
class Arrival:
    """One reader as another product knew them. `number` tells the rows of a call apart.

    `email` is canonical, once a call; `extra` is every column that no field of ours holds.
    """

    number: int
    email: str
    name: str
    state: Literal["active", "pending", "unsubscribed", "suppressed", "none"]
    tags: tuple[str, ...] = ()
    note: str = ""
    joined_at: datetime | None = None
    extra: dict[str, str] = field(default_factory=dict)
    block: Block = "bounce"
    """Why a suppressed one is blocked."""
    how: str | None = None
    """What their consent stands on, where that is another than the call's."""


@dataclass(frozen=True)
class RowOutcome:
    """What became of an arrival; `reason` says why it was skipped.

    `state` is where the reader stands now, `before` what was written over (None for one who is new).
    """

    number: int
    outcome: Literal["created", "updated", "unchanged", "skipped"]
    reason: str | None = None
    reader_id: UUID | None = None
    state: str = ""
    before: dict[str, Any] | None = None


# A plan kept from when the account was empty reads the whole table for each chunk, once it is not.
_PLAN_ANEW = "set local plan_cache_mode = force_custom_plan"


async def import_readers(tx: Tx, rows: Sequence[Arrival], newsletter_id: UUID, how: str) -> list[RowOutcome]:
    """Bring in readers of one newsletter; `how` says where from, for their consent history.

    What a reader has is filled up, never replaced: a blank name or note is taken from the row, tags are
    added, `extra` is merged. Nobody who unsubscribed, is blocked or was erased comes back (R2, R4). `none`
    has no part in this newsletter.
    """
    erased = await erased_among(tx, [row.email for row in rows])
    coming = [row for row in rows if row.email not in erased]
    await recall(tx, [row.email for row in coming])
    blocked = await _block(tx, coming, how)
    await tx.execute(_PLAN_ANEW)
    made = await tx.rows(
        sql(__package__, "import_readers"),
        account=tx.account_id,
        newsletter=newsletter_id,
        how=how,
        rows=[_described(row) for row in coming],
    )
    outcomes = {
        row.number: RowOutcome(row.number, row.outcome, None, row.reader_id, row.state, row.before)
        for row in made
    }
    for row in coming:
        if row.email in blocked and outcomes[row.number].outcome == "unchanged":
            outcomes[row.number] = replace(outcomes[row.number], outcome="updated")
    for row in rows:
        outcomes.setdefault(row.number, RowOutcome(row.number, "skipped", ERASED))
    return [outcomes[row.number] for row in rows]


async def _block(tx: Tx, coming: Sequence[Arrival], how: str) -> set[str]:
    """Block whom the file calls blocked; answers those who were not before."""
    told = [row for row in coming if row.state == "suppressed"]
    new: set[str] = set()
    for reason in get_args(Block):
        new |= await suppress_many(tx, [row.email for row in told if row.block == reason], reason, how)
    return new


def _described(row: Arrival) -> dict[str, object]:
    # A blocked address keeps the subscription it had: what stops its mail is the block.
    state = "active" if row.state == "suppressed" else row.state
    return asdict(row) | {"id": ids.new(), "state": state}
