"""One import from its file to its end, in committed chunks."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from sqlalchemy.exc import DataError, IntegrityError

from app.base import ids
from app.base.database import Tx
from app.imports.formats import FORMATS
from app.imports.rows import ImportedRow
from app.jobs import enqueue, job
from app.readers import LONGEST_NOTE, LONGEST_TAG, Arrival, RowOutcome, import_leavers, import_readers

CHUNK = 500
"""Rows a transaction."""
LONGEST_REASON = 1000


@job("import_readers", queue="imports", tries=20)
@dataclass(frozen=True)
class ImportReaders:
    """Bring in the readers of one file."""

    import_id: UUID


@dataclass(frozen=True)
class NewImport:
    """A file that was found readable. `made_by` is who brought it, for people."""

    newsletter_id: UUID
    format: str
    file_name: str
    content: bytes
    made_by: str


@dataclass(frozen=True)
class Run:
    """An import in hand; `rows` is how many of its rows are committed."""

    id: UUID
    newsletter_id: UUID
    format: str
    rows: int
    content: bytes
    how: str


_START = """
insert into import (account_id, id, newsletter_id, format, file_name, size, made_by_name)
values (:account, :id, :newsletter, :format, :file_name, :size, :made_by)
"""
_KEEP = "insert into import_file (account_id, import_id, content) values (:account, :id, :content)"
_BEGIN = """
update import i set state = 'running'
from import_file f
where i.id = :id and i.state in ('queued', 'running') and f.account_id = i.account_id and f.import_id = i.id
returning i.id, i.newsletter_id, i.format, i.file_name, i.rows, f.content
"""
_MOVE = """
update import set rows = rows + :rows, created = created + :created, updated = updated + :updated,
    unchanged = unchanged + :unchanged, skipped = skipped + :skipped, failed = failed + :failed
where id = :id and state = 'running' and rows = :before
"""
_PROBLEMS = """
insert into import_problem (account_id, import_id, row, line, outcome, reason)
select cast(:account as bigint), cast(:id as uuid), p.row, p.line, p.outcome, p.reason
from jsonb_to_recordset(cast(:problems as jsonb)) as p(row integer, line integer, outcome text, reason text)
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
    returning account_id, id
)
delete from import_file f using over where f.account_id = over.account_id and f.import_id = over.id
"""


async def start_import(tx: Tx, new: NewImport) -> UUID:
    """Keep the file and make its job; answers the import's id."""
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
    )
    await tx.execute(_KEEP, account=tx.account_id, id=import_id, content=new.content)
    await enqueue(tx, ImportReaders(import_id), key=str(import_id))
    return import_id


async def begin_run(tx: Tx, import_id: UUID) -> Run | None:
    """The import, from where its last commit ended; None when it is over."""
    row = await tx.row(_BEGIN, id=import_id)
    if row is None:
        return None
    title = FORMATS[row.format].title if row.format in FORMATS else row.format
    how = f"imported from {row.file_name} ({title})" if row.file_name else f"imported ({title})"
    return Run(row.id, row.newsletter_id, row.format, row.rows, bytes(row.content), how)


async def note_total(tx: Tx, run: Run, total: int) -> None:
    """Write down how many rows there are to read."""
    await tx.execute("update import set total = :total where id = :id", id=run.id, total=total)


async def record_rows(tx: Tx, run: Run, rows: Sequence[ImportedRow]) -> Run:
    """Bring in the next rows, count them and move on, all in one commit (N1, N2)."""
    outcomes = await _bring_in(tx, run, [_arrival(row) for row in rows if row.problem is None])
    leavers = [row.email for row in rows if row.duplicate_of and row.state in ("unsubscribed", "suppressed")]
    if leavers:
        await import_leavers(tx, leavers, run.newsletter_id, run.how)
    told = [_told(row, outcomes) for row in rows]
    counts = Counter(outcome for outcome, _ in told)
    moved = await tx.execute(
        _MOVE,
        id=run.id,
        before=run.rows,
        rows=len(rows),
        **{name: counts[name] for name in ("created", "updated", "unchanged", "skipped", "failed")},
    )
    if not moved:
        raise RuntimeError(f"import {run.id} was moved by somebody else past row {run.rows}")
    problems = [
        {"row": row.number, "line": row.line, "outcome": outcome, "reason": reason[:LONGEST_REASON]}
        for row, (outcome, reason) in zip(rows, told, strict=True)
        if reason is not None
    ]
    if problems:
        await tx.execute(_PROBLEMS, account=tx.account_id, id=run.id, problems=problems)
    return replace(run, rows=run.rows + len(rows))


async def end_run(tx: Tx, import_id: UUID, reason: str | None = None) -> None:
    """End it: done, or failed when nobody could be used or `reason` says what broke (N3). The file goes."""
    await tx.execute(_END, id=import_id, reason=reason)


async def _bring_in(tx: Tx, run: Run, arrivals: list[Arrival]) -> dict[int, RowOutcome | str]:
    """What became of each; a row that the database refuses fails alone, not its neighbours with it."""
    if not arrivals:
        return {}
    try:
        async with tx.savepoint():
            made = await import_readers(tx, arrivals, run.newsletter_id, run.how)
            return {one.number: one for one in made}
    except (DataError, IntegrityError) as error:
        if len(arrivals) == 1:
            return {arrivals[0].number: f"The database refused it: {str(error.orig)[:200]}"}
    half = len(arrivals) // 2
    return await _bring_in(tx, run, arrivals[:half]) | await _bring_in(tx, run, arrivals[half:])


def _told(row: ImportedRow, outcomes: dict[int, RowOutcome | str]) -> tuple[str, str | None]:
    if row.problem is not None:
        return ("skipped" if row.duplicate_of else "failed"), row.problem
    outcome = outcomes[row.number]
    return ("failed", outcome) if isinstance(outcome, str) else (outcome.outcome, outcome.reason)


def _arrival(row: ImportedRow) -> Arrival:
    """The row as readers takes it. What is too long for its field is kept whole in `extra`."""
    extra = dict(row.extra)
    if len(row.note) > LONGEST_NOTE:
        extra["note"] = row.note
    if long := [tag for tag in row.tags if len(tag) > LONGEST_TAG]:
        extra["labels"] = ", ".join(long)
    return Arrival(
        number=row.number,
        email=row.email,
        name=row.name,
        state=row.state,
        tags=tuple(tag for tag in row.tags if len(tag) <= LONGEST_TAG),
        note=row.note[:LONGEST_NOTE],
        joined_at=row.joined_at,
        extra=extra,
    )
