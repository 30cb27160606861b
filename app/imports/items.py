"""What the API says of an import."""

from datetime import datetime

from msgspec import Struct, structs

from app.imports.queries import ImportView, Loss, RowProblem
from app.imports.states import ImportState


class ImportItem(Struct):
    """An import of readers or of posts (`kind`).

    `created`, `updated`, `unchanged`, `skipped` and `failed` add up to `rows`, those read so far, of `total`,
    null until counted. `state`: queued, running, done, failed, with the `reason`; and by the studio's pages:
    waiting for a person, undoing, undone. Of a file of readers `subscribed`, `unsubscribed`, `pending` and
    `blocked` tell what became of them, `access` how many got which plan, by its name.
    """

    id: str
    kind: str
    state: ImportState
    reason: str | None
    dry_run: bool
    format: str
    newsletter: str
    file: str
    total: int | None
    rows: int
    created: int
    updated: int
    unchanged: int
    skipped: int
    failed: int
    subscribed: int
    unsubscribed: int
    pending: int
    blocked: int
    access: dict[str, int]
    created_at: datetime
    finished_at: datetime | None


class RowItem(Struct):
    """A row that was not taken; `outcome`: skipped or failed. `line` is where it begins in the file."""

    row: int
    line: int
    outcome: str
    reason: str


class LossItem(Struct):
    """What of a post, or of the file, did not survive the way."""

    thing: str
    what: str


class ImportReport(ImportItem):
    """An import with the first thousand rows that were not taken, and how many more there are.

    `losses`, of a file of posts: the first thousand things that came, but not whole.
    """

    errors: list[RowItem]
    errors_left_off: int
    losses: list[LossItem]
    losses_left_off: int


class ImportPage(Struct):
    """Imports, newest first, and the cursor of the next page."""

    items: list[ImportItem]
    next: str | None


def import_item(view: ImportView) -> ImportItem:
    """The representation of an import."""
    return ImportItem(
        id=str(view.id),
        kind=view.kind,
        state=view.state,
        reason=view.reason,
        dry_run=view.dry_run,
        format=view.format,
        newsletter=view.newsletter_slug,
        file=view.file_name,
        total=view.total,
        rows=view.rows,
        created=view.created,
        updated=view.updated,
        unchanged=view.unchanged,
        skipped=view.skipped,
        failed=view.failed,
        subscribed=view.subscribed,
        unsubscribed=view.unsubscribed,
        pending=view.pending,
        blocked=view.blocked,
        access=view.access,
        created_at=view.created_at,
        finished_at=view.finished_at,
    )


def import_report(
    view: ImportView, problems: list[RowProblem], losses: list[Loss], lost: int
) -> ImportReport:
    """The same with its rows that were not taken, and what was `lost` in all."""
    return ImportReport(
        **structs.asdict(import_item(view)),
        errors=[RowItem(one.row, one.line, one.outcome, one.reason) for one in problems],
        errors_left_off=max(0, view.skipped + view.failed - len(problems)),
        losses=[LossItem(one.thing, one.what) for one in losses],
        losses_left_off=max(0, lost - len(losses)),
    )
