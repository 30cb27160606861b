"""One import from its file to its end, in committed chunks."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from app.base import ids
from app.base.database import Tx
from app.imports.announcing import tell_finished
from app.imports.formats import titles
from app.jobs import enqueue, job

FILE_KEPT_DAYS = 7
"""How long a file that waits for a person is kept, and that of a dry run once it is over."""


@job("import_readers", queue="imports", tries=20)
@dataclass(frozen=True)
class ImportReaders:
    """Bring in the readers of one file."""

    import_id: UUID


@job("prune_import_files", queue="housekeeping")
@dataclass(frozen=True)
class PruneImportFiles:
    """Forget files that nobody went on with within their week: they hold addresses."""


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
), forgotten as (
    delete from import_file f using over
    where f.account_id = over.account_id and f.import_id = over.id
      and not (over.dry_run and over.state = 'done')
)
select dry_run from over
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


async def end_run(tx: Tx, import_id: UUID, reason: str | None = None) -> None:
    """End it: done, or failed when nobody could be used or `reason` says what broke (N3).

    The file goes; that of a dry run is kept a week, to be imported without being chosen again. Webhooks are
    told, once, and not of a dry run: it changed nothing.
    """
    over = await tx.row(_END, id=import_id, reason=reason)
    if over is not None and not over.dry_run:
        await tell_finished(tx, import_id)
