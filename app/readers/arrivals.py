"""Readers who come from elsewhere, many at a time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal, get_args
from uuid import UUID

from app.base import ids
from app.base.database import Tx
from app.base.statements import sql
from app.readers.erasure import erased_among
from app.readers.standings import NOT_HERE, Elsewhere, settle_elsewhere
from app.readers.states import SubscriptionState
from app.readers.streams import newsletters
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
    newsletters: Mapping[str, SubscriptionState] | None = None
    """Where they stand with each, by its slug, and no other. None: `state` is about the call's newsletter."""
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


_STRONGEST = ("suppressed", "active", "pending", "unsubscribed")
_HOLD = """
select from reader where email = any (cast(:emails as text[])) order by email for key share
"""
# A plan kept from when the account was empty reads the whole table for each chunk, once it is not.
_PLAN_ANEW = "set local plan_cache_mode = force_custom_plan"


async def import_readers(
    tx: Tx, rows: Sequence[Arrival], newsletter_id: UUID, how: str, import_id: UUID | None = None
) -> list[RowOutcome]:
    """Bring in readers of one newsletter; `how` says where from, for their consent history.

    What a reader has is filled up, never replaced: a blank name or note is taken from the row, tags are
    added, `extra` is merged. Nobody who unsubscribed, is blocked or was erased comes back (R2, R4). `none`
    has no part in this newsletter. `import_id` stands with their words, for its undoing.

    Whoever is there is held until the commit: an erasure waits, and takes all of this with it.
    """
    await tx.execute(_HOLD, emails=[row.email for row in rows])
    erased = await erased_among(tx, [row.email for row in rows])
    streams = {one.slug: one.id for one in await newsletters(tx)}
    strange = {row.number: slug for row in rows for slug in row.newsletters or () if slug not in streams}
    coming = [row for row in rows if row.email not in erased and row.number not in strange]
    await recall(tx, [row.email for row in coming])
    blocked = await _block(tx, coming, how)
    await tx.execute(_PLAN_ANEW)
    made = await tx.rows(
        sql(__package__, "import_readers"),
        account=tx.account_id,
        newsletter=newsletter_id,
        how=how,
        rows=[_described(row, streams, newsletter_id) for row in coming],
        **{"import": import_id},
    )
    outcomes = {
        row.number: RowOutcome(row.number, row.outcome, None, row.reader_id, row.state, row.before)
        for row in made
    }
    await _elsewhere(tx, coming, outcomes, streams, newsletter_id, how, import_id)
    for row in coming:
        if row.email in blocked and outcomes[row.number].outcome == "unchanged":
            outcomes[row.number] = replace(outcomes[row.number], outcome="updated")
    for row in rows:
        why = NOT_HERE.format(strange[row.number][:60]) if row.number in strange else ERASED
        outcomes.setdefault(row.number, RowOutcome(row.number, "skipped", why))
    return [outcomes[row.number] for row in rows]


async def _elsewhere(
    tx: Tx,
    coming: Sequence[Arrival],
    outcomes: dict[int, RowOutcome],
    streams: Mapping[str, UUID],
    newsletter_id: UUID,
    how: str,
    import_id: UUID | None,
) -> None:
    """Settle the other newsletters of rows that name theirs, and tell it of their outcomes."""
    told = [
        Elsewhere(row.number, reader_id, streams[slug], state, row.how or how, row.joined_at)
        for row in coming
        if row.newsletters and (reader_id := outcomes[row.number].reader_id)
        for slug, state in row.newsletters.items()
        if streams[slug] != newsletter_id
    ]
    for number, settled in (await settle_elsewhere(tx, told, import_id)).items():
        one = outcomes[number]
        word = "updated" if settled.changes and one.outcome == "unchanged" else one.outcome
        before = {**one.before, "elsewhere": settled.changes} if one.before is not None else None
        state = min(one.state, settled.state, key=_STRONGEST.index)
        outcomes[number] = replace(one, outcome=word, before=before, state=state)


async def _block(tx: Tx, coming: Sequence[Arrival], how: str) -> set[str]:
    """Block whom the file calls blocked; answers those who were not before."""
    told = [row for row in coming if row.state == "suppressed"]
    new: set[str] = set()
    for reason in get_args(Block):
        new |= await suppress_many(tx, [row.email for row in told if row.block == reason], reason, how)
    return new


def _described(row: Arrival, streams: Mapping[str, UUID], newsletter_id: UUID) -> dict[str, object]:
    # A blocked address keeps the subscription it had: what stops its mail is the block.
    state = "active" if row.state == "suppressed" else row.state
    if row.newsletters is not None:
        here = [state for slug, state in row.newsletters.items() if streams[slug] == newsletter_id]
        state = here[0] if here else "none"
    kept = ("number", "email", "name", "tags", "note", "joined_at", "extra", "how")
    return {"id": ids.new(), "state": state} | {name: getattr(row, name) for name in kept}
