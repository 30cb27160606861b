"""What a person decides about an import that is here: what its columns mean, that a dry run becomes real."""

from collections.abc import Mapping
from dataclasses import replace
from uuid import UUID

from app.base.database import Tx
from app.base.errors import Conflict, NotFound
from app.imports.queries import ImportView, import_view
from app.imports.runs import ImportReaders, NewImport, start_import
from app.jobs import enqueue

_MAP = """
update import set state = 'queued', mapping = cast(:mapping as jsonb), consent_stated = :stated,
    dry_run = :dry_run
where id = :id and state = 'waiting' returning id
"""
_TAKE = """
delete from import_file f using import i
where i.id = :id and f.account_id = i.account_id and f.import_id = i.id
  and i.dry_run and i.state = 'done'
returning f.content, i.newsletter_id, i.format, i.file_name, i.mapping, i.consent_stated, i.kind
"""
_FORGET = """
update import set state = 'failed', reason = 'Nobody went on with it.', finished_at = godwit_now()
where id = :id and state = 'waiting' returning id
"""


async def name_columns(
    tx: Tx, import_id: UUID, mapping: Mapping[str, str], *, stated: bool, dry_run: bool
) -> None:
    """Say what the columns mean; the import goes on. Raises Conflict when it does not wait for that."""
    told = await tx.value(_MAP, id=import_id, mapping=dict(mapping), stated=stated, dry_run=dry_run)
    if told is None:
        await _refuse(tx, import_id, "It does not wait for its columns any more.")
    await enqueue(tx, ImportReaders(import_id), key=str(import_id))


async def import_for_real(tx: Tx, import_id: UUID, made_by: str) -> UUID:
    """What a dry run showed, for real, from the file that it kept; answers the new import.

    Raises Conflict when there is no such file any more: pressed twice, or after a week.
    """
    row = await tx.row(_TAKE, id=import_id)
    if row is None:
        await _refuse(
            tx, import_id, "Its file is gone: imported already, or a week has passed. Choose it again."
        )
    assert row is not None
    new = NewImport(
        row.newsletter_id,
        row.format,
        row.file_name,
        bytes(row.content),
        made_by,
        consent_stated=row.consent_stated,
        mapping=row.mapping,
        kind=row.kind,
    )
    return await start_import(tx, replace(new, dry_run=False))


async def forget_waiting(tx: Tx, import_id: UUID) -> None:
    """Give up an import that waits for its columns."""
    if await tx.value(_FORGET, id=import_id) is None:
        await _refuse(tx, import_id, "It does not wait any more.")
    await tx.execute("delete from import_file where import_id = :id", id=import_id)


async def _refuse(tx: Tx, import_id: UUID, why: str) -> None:
    there: ImportView | None = await import_view(tx, import_id)
    if there is None:
        raise NotFound("There is no such import.")
    raise Conflict(f"This import is {there.state}. {why}")
