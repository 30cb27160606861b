"""Rows of an import brought in and counted, so many a commit."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy.exc import DBAPIError

from app.base.database import Tx, in_words
from app.imports.access import give_access
from app.imports.arriving import arrival
from app.imports.rows import ImportedRow
from app.imports.runs import Run
from app.readers import RowOutcome, import_readers

CHUNK = 500
"""Rows a transaction."""
LONGEST_REASON = 1000
OUTCOMES = ("created", "updated", "unchanged", "skipped", "failed")
#: Column of import → the state of a reader that it counts.
_STANDING = {
    "subscribed": "active",
    "unsubscribed": "unsubscribed",
    "pending": "pending",
    "blocked": "suppressed",
}
_REFUSALS = ("22", "23")
_CHANGED = ("created", "updated")


class Undo(Exception):
    """Ends a dry run's savepoint: nothing in it stands."""


_MOVE = """
update import set rows = rows + :rows, created = created + :created, updated = updated + :updated,
    unchanged = unchanged + :unchanged, skipped = skipped + :skipped, failed = failed + :failed,
    subscribed = subscribed + :subscribed, unsubscribed = unsubscribed + :unsubscribed,
    pending = pending + :pending, blocked = blocked + :blocked,
    access = counted_up(access, cast(:access as jsonb))
where id = :id and state = 'running' and rows = :before
"""
_PROBLEMS = """
insert into import_problem (account_id, import_id, row, line, outcome, reason)
select cast(:account as bigint), cast(:id as uuid), p.row, p.line, p.outcome, p.reason
from jsonb_to_recordset(cast(:problems as jsonb)) as p(row integer, line integer, outcome text, reason text)
"""
_CHANGES = """
insert into import_change (account_id, import_id, thing_id, act, before)
select cast(:account as bigint), cast(:id as uuid), c.thing_id, c.act,
       case when c.act <> 'created' then c.before
            else jsonb_build_object('is', reader_digest(cast(:account as bigint), c.thing_id)) end
from jsonb_to_recordset(cast(:changes as jsonb)) as c(thing_id uuid, act text, before jsonb)
on conflict do nothing
"""


@dataclass(frozen=True)
class Told:
    """What became of one row of the file; `reason` says why it was not taken."""

    row: int
    line: int
    outcome: str
    reason: str | None = None


async def record_rows(tx: Tx, run: Run, rows: Sequence[ImportedRow]) -> Run:
    """Bring in the next rows, count them and move on, all in one commit (N1, N2).

    A dry run does the same within a savepoint that is undone: its report is the real one's (N7).
    """
    access: Counter[str] = Counter()
    outcomes = await _brought(tx, run, [row for row in rows if row.problem is None], access)
    stand = Counter(one.state for one in outcomes.values() if isinstance(one, RowOutcome) and one.state)
    return await move_on(tx, run, [_told(row, outcomes) for row in rows], stand, access)


async def move_on(
    tx: Tx, run: Run, told: Sequence[Told], stand: Mapping[str, int], access: Mapping[str, int]
) -> Run:
    """Count what became of the next rows and move behind them.

    `stand`: readers by where they stand now; `access`: how many got which plan.

    By compare-and-set: raises RuntimeError when somebody else moved this import.
    """
    counts = Counter(one.outcome for one in told)
    moved = await tx.execute(
        _MOVE,
        id=run.id,
        before=run.rows,
        rows=len(told),
        access=dict(access),
        **{name: counts[name] for name in OUTCOMES},
        **{name: stand.get(state, 0) for name, state in _STANDING.items()},
    )
    if not moved:
        raise RuntimeError(f"import {run.id} was moved by somebody else past row {run.rows}")
    problems = [
        {"row": one.row, "line": one.line, "outcome": one.outcome, "reason": one.reason[:LONGEST_REASON]}
        for one in told
        if one.reason is not None
    ]
    if problems:
        await tx.execute(_PROBLEMS, account=tx.account_id, id=run.id, problems=problems)
    return replace(run, rows=run.rows + len(told))


async def _brought(
    tx: Tx, run: Run, rows: list[ImportedRow], access: Counter[str]
) -> dict[int, RowOutcome | str]:
    if not run.dry_run:
        return await _bring_in(tx, run, rows, access)
    outcomes: dict[int, RowOutcome | str] = {}
    try:
        async with tx.savepoint():
            outcomes = await _bring_in(tx, run, rows, access)
            raise Undo
    except Undo:
        return outcomes


async def _bring_in(
    tx: Tx, run: Run, rows: list[ImportedRow], access: Counter[str]
) -> dict[int, RowOutcome | str]:
    """What became of each; a row that the database refuses fails alone, not its neighbours with it."""
    if not rows:
        return {}
    try:
        async with tx.savepoint():
            arrivals = [arrival(row, run.how, run.made_by, stated=run.consent_stated) for row in rows]
            made = await import_readers(tx, arrivals, run.newsletter_id, run.how, run.id)
            made, given = await give_access(tx, rows, made)
            if not run.dry_run:
                await _note_changes(tx, run, made)
        access.update(given)
        return {one.number: one for one in made}
    except DBAPIError as error:
        if not is_refusal(error):
            raise
        if len(rows) == 1:
            return {rows[0].number: f"The database refused it: {in_words(error)[:200]}"}
    half = len(rows) // 2
    first = await _bring_in(tx, run, rows[:half], access)
    return first | await _bring_in(tx, run, rows[half:], access)


def is_refusal(error: DBAPIError) -> bool:
    """Whether the database refuses the value itself (SQLSTATE classes 22 and 23): trying again is no use."""
    return str(getattr(error.orig, "sqlstate", None) or "")[:2] in _REFUSALS


async def _note_changes(tx: Tx, run: Run, made: Sequence[RowOutcome]) -> None:
    """What this import made and wrote over, and of whom it told, for its undoing (N8)."""
    changes = [_change(one) for one in made if one.reader_id]
    if changes:
        await tx.execute(_CHANGES, account=tx.account_id, id=run.id, changes=changes)


def _change(one: RowOutcome) -> dict[str, Any]:
    act = one.outcome if one.outcome in _CHANGED else "said"
    return {"thing_id": one.reader_id, "act": act, "before": one.before or {}}


def _told(row: ImportedRow, outcomes: Mapping[int, RowOutcome | str]) -> Told:
    if row.problem is not None:
        skipped = row.duplicate_of or row.left_out
        return Told(row.number, row.line, "skipped" if skipped else "failed", row.problem)
    outcome = outcomes[row.number]
    if isinstance(outcome, str):
        return Told(row.number, row.line, "failed", outcome)
    return Told(row.number, row.line, outcome.outcome, outcome.reason)
