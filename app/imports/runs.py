"""One import from its file to its end, in committed chunks."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from uuid import UUID

from sqlalchemy.exc import DataError, IntegrityError

from app.base import clock, ids
from app.base.database import Tx
from app.imports.access import give_access
from app.imports.arriving import arrival
from app.imports.formats import titles
from app.imports.rows import ImportedRow
from app.jobs import enqueue, job
from app.readers import RowOutcome, import_readers

CHUNK = 500
"""Rows a transaction."""
LONGEST_REASON = 1000
FILE_KEPT = timedelta(days=7)
"""How long a file that waits for a person is kept."""
OUTCOMES = ("created", "updated", "unchanged", "skipped", "failed")
#: Column of import → the state of a reader that it counts.
_STANDING = {
    "subscribed": "active",
    "unsubscribed": "unsubscribed",
    "pending": "pending",
    "blocked": "suppressed",
}


@job("import_readers", queue="imports", tries=20)
@dataclass(frozen=True)
class ImportReaders:
    """Bring in the readers of one file."""

    import_id: UUID


@job("forget_import_file", queue="imports")
@dataclass(frozen=True)
class ForgetImportFile:
    """Forget the file of an import that nobody went on with."""

    import_id: UUID


@dataclass(frozen=True)
class NewImport:
    """A file that was found readable. `made_by` is who brought it, for people.

    `waits`: for a person to say what its columns mean. `mapping`: what they said. `dry_run`: report only.
    `consent_stated`: whoever brought it stated that readers of whom the file says nothing agreed to the mail.
    """

    newsletter_id: UUID
    format: str
    file_name: str
    content: bytes
    made_by: str
    dry_run: bool = False
    consent_stated: bool = False
    mapping: Mapping[str, str] | None = None
    waits: bool = False
    kind: str = "readers"


@dataclass(frozen=True)
class Run:
    """An import in hand; `rows` is how many of its rows are committed."""

    id: UUID
    newsletter_id: UUID
    newsletter: str
    format: str
    rows: int
    content: bytes
    how: str
    dry_run: bool
    consent_stated: bool
    made_by: str
    mapping: Mapping[str, str] | None = None
    kind: str = "readers"


class Undo(Exception):
    """Ends a dry run's savepoint: nothing in it stands."""


_START = """
insert into import (account_id, id, newsletter_id, format, file_name, size, made_by_name, kind, dry_run,
                    consent_stated, mapping, state)
values (:account, :id, :newsletter, :format, :file_name, :size, :made_by, :kind, :dry_run, :consent,
        cast(:mapping as jsonb), :state)
"""
_KEEP = "insert into import_file (account_id, import_id, content) values (:account, :id, :content)"
_BEGIN = """
update import i set state = 'running'
from import_file f, newsletter n
where i.id = :id and i.state in ('queued', 'running') and f.account_id = i.account_id and f.import_id = i.id
  and n.account_id = i.account_id and n.id = i.newsletter_id
returning i.id, i.newsletter_id, n.slug, i.format, i.file_name, i.rows, f.content, i.dry_run,
          i.consent_stated, i.made_by_name, i.mapping, i.kind
"""
_MOVE = """
update import set rows = rows + :rows, created = created + :created, updated = updated + :updated,
    unchanged = unchanged + :unchanged, skipped = skipped + :skipped, failed = failed + :failed,
    subscribed = subscribed + :subscribed, unsubscribed = unsubscribed + :unsubscribed,
    pending = pending + :pending, blocked = blocked + :blocked
where id = :id and state = 'running' and rows = :before
"""
_PROBLEMS = """
insert into import_problem (account_id, import_id, row, line, outcome, reason)
select cast(:account as bigint), cast(:id as uuid), p.row, p.line, p.outcome, p.reason
from jsonb_to_recordset(cast(:problems as jsonb)) as p(row integer, line integer, outcome text, reason text)
"""
_CHANGES = """
insert into import_change (account_id, import_id, thing_id, act, before)
select cast(:account as bigint), cast(:id as uuid), c.thing_id, c.act, nullif(c.before, 'null')
from jsonb_to_recordset(cast(:changes as jsonb)) as c(thing_id uuid, act text, before jsonb)
on conflict do nothing
"""
_GIVE_UP = """
update import set state = 'failed', reason = 'Nobody went on with it within a week.',
    finished_at = godwit_now()
where id = :id and state = 'waiting'
"""
_FORGET = """
delete from import_file f using import i
where i.id = :id and f.account_id = i.account_id and f.import_id = i.id
  and i.state not in ('queued', 'running')
"""
_END = """
with over as (
    update import set finished_at = godwit_now(),
        total = case when cast(:reason as text) is null then rows else total end,
        state = case when cast(:reason as text) is null and created + updated + unchanged > 0
                then 'done' else 'failed' end,
        reason = case when cast(:reason as text) is not null then cast(:reason as text)
                 when created + updated + unchanged > 0 then null
                 when rows = 1 then 'Its only row could not be used.'
                 else 'None of its ' || rows || ' rows could be used.' end
    where id = :id and state in ('queued', 'running')
    returning account_id, id, dry_run, state
)
delete from import_file f using over
where f.account_id = over.account_id and f.import_id = over.id and not (over.dry_run and over.state = 'done')
"""


async def start_import(tx: Tx, new: NewImport) -> UUID:
    """Keep the file and make its job, unless it waits for its mapping; answers the import's id."""
    import_id = ids.new()
    await tx.execute(
        _START,
        account=tx.account_id,
        id=import_id,
        newsletter=new.newsletter_id,
        format=new.format,
        file_name=new.file_name[:255],
        size=len(new.content),
        made_by=new.made_by,
        kind=new.kind,
        dry_run=new.dry_run,
        consent=new.consent_stated,
        mapping=dict(new.mapping) if new.mapping is not None else None,
        state="waiting" if new.waits else "queued",
    )
    await tx.execute(_KEEP, account=tx.account_id, id=import_id, content=new.content)
    if not new.waits:
        await enqueue(tx, ImportReaders(import_id), key=str(import_id))
    if new.waits or new.dry_run:
        await enqueue(tx, ForgetImportFile(import_id), run_at=clock.now() + FILE_KEPT)
    return import_id


async def begin_run(tx: Tx, import_id: UUID) -> Run | None:
    """The import, from where its last commit ended; None when it is over."""
    row = await tx.row(_BEGIN, id=import_id)
    if row is None:
        return None
    title = titles().get(row.format, row.format)
    how = f"imported from {row.file_name} ({title})" if row.file_name else f"imported ({title})"
    return Run(
        row.id,
        row.newsletter_id,
        row.slug,
        row.format,
        row.rows,
        bytes(row.content),
        how,
        row.dry_run,
        row.consent_stated,
        row.made_by_name,
        row.mapping,
        row.kind,
    )


async def note_total(tx: Tx, run: Run, total: int) -> None:
    """Write down how many rows there are to read."""
    await tx.execute("update import set total = :total where id = :id", id=run.id, total=total)


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
    outcomes = await _brought(tx, run, [row for row in rows if row.problem is None])
    stand = Counter(one.state for one in outcomes.values() if isinstance(one, RowOutcome) and one.state)
    return await move_on(tx, run, [_told(row, outcomes) for row in rows], stand)


async def move_on(tx: Tx, run: Run, told: Sequence[Told], stand: Mapping[str, int]) -> Run:
    """Count what became of the next rows and move behind them; `stand`: readers by where they stand now.

    By compare-and-set: raises RuntimeError when somebody else moved this import.
    """
    counts = Counter(one.outcome for one in told)
    moved = await tx.execute(
        _MOVE,
        id=run.id,
        before=run.rows,
        rows=len(told),
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


async def forget_file(tx: Tx, import_id: UUID) -> None:
    """Its week is over: the file goes, and one that still waits has failed."""
    await tx.execute(_GIVE_UP, id=import_id)
    await tx.execute(_FORGET, id=import_id)


async def end_run(tx: Tx, import_id: UUID, reason: str | None = None) -> None:
    """End it: done, or failed when nobody could be used or `reason` says what broke (N3).

    The file goes; that of a dry run is kept a week, to be imported without being chosen again.
    """
    await tx.execute(_END, id=import_id, reason=reason)


async def _brought(tx: Tx, run: Run, rows: list[ImportedRow]) -> dict[int, RowOutcome | str]:
    if not run.dry_run:
        return await _bring_in(tx, run, rows)
    outcomes: dict[int, RowOutcome | str] = {}
    try:
        async with tx.savepoint():
            outcomes = await _bring_in(tx, run, rows)
            raise Undo
    except Undo:
        return outcomes


async def _bring_in(tx: Tx, run: Run, rows: list[ImportedRow]) -> dict[int, RowOutcome | str]:
    """What became of each; a row that the database refuses fails alone, not its neighbours with it."""
    if not rows:
        return {}
    try:
        async with tx.savepoint():
            arrivals = [arrival(row, run.how, run.made_by, stated=run.consent_stated) for row in rows]
            made = await import_readers(tx, arrivals, run.newsletter_id, run.how)
            made = await give_access(tx, rows, made)
            if not run.dry_run:
                await _note_changes(tx, run, made)
            return {one.number: one for one in made}
    except (DataError, IntegrityError) as error:
        if len(rows) == 1:
            return {rows[0].number: f"The database refused it: {str(error.orig)[:200]}"}
    half = len(rows) // 2
    return await _bring_in(tx, run, rows[:half]) | await _bring_in(tx, run, rows[half:])


async def _note_changes(tx: Tx, run: Run, made: Sequence[RowOutcome]) -> None:
    """What this import made and wrote over, for its undoing (N8)."""
    changes = [
        {"thing_id": one.reader_id, "act": one.outcome, "before": one.before}
        for one in made
        if one.reader_id and one.outcome in ("created", "updated")
    ]
    if changes:
        await tx.execute(_CHANGES, account=tx.account_id, id=run.id, changes=changes)


def _told(row: ImportedRow, outcomes: Mapping[int, RowOutcome | str]) -> Told:
    if row.problem is not None:
        skipped = row.duplicate_of or row.left_out
        return Told(row.number, row.line, "skipped" if skipped else "failed", row.problem)
    outcome = outcomes[row.number]
    if isinstance(outcome, str):
        return Told(row.number, row.line, "failed", outcome)
    return Told(row.number, row.line, outcome.outcome, outcome.reason)
