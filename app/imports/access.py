"""What readers paid for elsewhere, as access here (entitlements with the source `import`)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from app.base.database import Tx
from app.imports.rows import ImportedRow, PaidFor
from app.plans import grant, plan_named
from app.readers import RowOutcome

_THERE = "select id from entitlement where reader_id = any (cast(:readers as uuid[]))"


async def give_access(
    tx: Tx, rows: Sequence[ImportedRow], outcomes: Sequence[RowOutcome]
) -> tuple[list[RowOutcome], Counter[str]]:
    """Give each reader what their row says they paid for; answers also how many got which plan, by its name.

    The same again changes nothing. Who gets something new counts as updated. What was given is noted for
    undoing the import.
    """
    readers = {one.number: one.reader_id for one in outcomes if one.reader_id}
    paying = {row.number: row.paid for row in rows if row.paid and row.number in readers}
    if not paying:
        return list(outcomes), Counter()
    known = await _known(tx, [readers[number] for number in paying])
    plans: dict[str, UUID] = {}
    given: dict[int, list[str]] = {}
    counts: Counter[str] = Counter()
    for number, paid in paying.items():
        for one in paid:
            made = await _grant(tx, readers[number], one, plans)
            if made not in known:
                given.setdefault(number, []).append(str(made))
                counts[one.plan] += 1
    return [_with(one, given.get(one.number, [])) for one in outcomes], counts


async def _known(tx: Tx, readers: Sequence[UUID | None]) -> set[UUID]:
    return {row.id for row in await tx.rows(_THERE, readers=list(readers))}


async def _grant(tx: Tx, reader_id: UUID | None, paid: PaidFor, plans: dict[str, UUID]) -> UUID:
    assert reader_id is not None
    if paid.plan not in plans:
        plans[paid.plan] = await plan_named(tx, "", paid.plan)
    return await grant(
        tx,
        reader_id,
        plans[paid.plan],
        source="import",
        reference=paid.reference,
        reason=paid.reason,
        starts_at=paid.starts_at,
        ends_at=paid.ends_at,
    )


def _with(outcome: RowOutcome, given: list[str]) -> RowOutcome:
    if not given or outcome.before is None:
        return outcome
    word = "updated" if outcome.outcome == "unchanged" else outcome.outcome
    return replace(outcome, outcome=word, before={**outcome.before, "access": given})
