"""Reading imports: the list, one of them, what was not taken, and what undoing it would do."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from app.base.database import Tx
from app.imports.states import ImportState


@dataclass(frozen=True)
class ImportView:
    """One import as pages and API see it. `total` is how many rows there are, None until counted."""

    id: UUID
    newsletter_slug: str
    newsletter_name: str
    format: str
    file_name: str
    size: int
    state: ImportState
    reason: str | None
    total: int | None
    rows: int
    created: int
    updated: int
    unchanged: int
    skipped: int
    failed: int
    made_by: str
    created_at: datetime
    finished_at: datetime | None
    kind: str
    dry_run: bool
    consent_stated: bool
    mapping: dict[str, str] | None
    subscribed: int
    unsubscribed: int
    pending: int
    blocked: int
    undone_at: datetime | None
    undone_by: str
    undo_gone: int
    undo_restored: int
    undo_kept: int
    has_file: bool
    access: dict[str, int]
    """How many readers got which plan by it, by its name."""
    has_changes: bool
    """Whether it is known what it changed: earlier versions did not note it."""

    @property
    def is_over(self) -> bool:
        """Whether nothing of it goes on by itself."""
        return self.state in ("waiting", "done", "failed", "undone")

    @property
    def can_be_undone(self) -> bool:
        """Whether it changed something that can be taken back."""
        return self.has_changes and self.state in ("done", "failed")


@dataclass(frozen=True)
class RowProblem:
    """A row that was not taken: its place among the rows, the line it begins on, and why."""

    row: int
    line: int
    outcome: str
    reason: str


@dataclass(frozen=True)
class Loss:
    """What of one post did not survive the way."""

    thing: str
    what: str


_IMPORT = """
select i.id, n.slug, n.name, i.format, i.file_name, i.size, i.state, i.reason, i.total, i.rows, i.created,
       i.updated, i.unchanged, i.skipped, i.failed, i.made_by_name, i.created_at, i.finished_at, i.kind,
       i.dry_run, i.consent_stated, i.mapping, i.subscribed, i.unsubscribed, i.pending, i.blocked,
       i.undone_at, i.undone_by_name, i.undo_gone, i.undo_restored, i.undo_kept,
       exists (select from import_file f where f.account_id = i.account_id and f.import_id = i.id), i.access,
       exists (select from import_change c where c.account_id = i.account_id and c.import_id = i.id)
from import i join newsletter n on n.account_id = i.account_id and n.id = i.newsletter_id
"""
_OLDER = """
where cast(:at as timestamptz) is null or (i.created_at, i.id) < (cast(:at as timestamptz), cast(:id as uuid))
order by i.created_at desc, i.id desc limit :limit
"""


async def import_view(tx: Tx, import_id: UUID) -> ImportView | None:
    """One import, or None."""
    row = await tx.row(f"{_IMPORT} where i.id = :id", id=import_id)
    return ImportView(*row) if row else None


async def import_views(
    tx: Tx, older: tuple[datetime, UUID] | None = None, limit: int = 50
) -> list[ImportView]:
    """Newest first, those before the place `older`."""
    at, last = older or (None, None)
    return [ImportView(*row) for row in await tx.rows(_IMPORT + _OLDER, at=at, id=last, limit=limit)]


async def import_problems(tx: Tx, import_id: UUID, *, after: int = 0, limit: int = 100) -> list[RowProblem]:
    """Rows that were skipped or failed, in the file's order, from the row behind `after`."""
    rows = await tx.rows(
        "select row, line, outcome, reason from import_problem where import_id = :id and row > :after"
        " order by row limit :limit",
        id=import_id,
        after=after,
        limit=limit,
    )
    return [RowProblem(*row) for row in rows]


async def waiting_file(tx: Tx, import_id: UUID) -> bytes | None:
    """The file of an import whose columns nobody has named yet; None when it waits for nothing."""
    content = await tx.value(
        "select f.content from import_file f"
        " join import i on i.account_id = f.account_id and i.id = f.import_id"
        " where i.id = :id and i.state = 'waiting'",
        id=import_id,
    )
    return None if content is None else bytes(content)


async def import_losses(tx: Tx, import_id: UUID, *, limit: int = 100) -> list[Loss]:
    """What did not survive, post by post, in the file's order."""
    rows = await tx.rows(
        "select thing, what from import_loss where import_id = :id order by id limit :limit",
        id=import_id,
        limit=limit,
    )
    return [Loss(*row) for row in rows]


async def loss_count(tx: Tx, import_id: UUID) -> int:
    """How many there are in all."""
    return await tx.value("select count(*) from import_loss where import_id = :id", id=import_id)
