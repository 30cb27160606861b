"""Undoing an import: who came by it goes, who was filled up gets back what they had (N8).

Somebody stays who is no longer only what the import made of them: mailed something, or about to be; asked,
confirmed, signed in or changed a subscription since; changed, tagged or given access by the team; brought by
another import too. Of somebody known before, only what still stands as the import wrote it is taken back.
Whoever the import unsubscribed is as before, unless they, or the team, said anything of it since.

Imports that told of the same readers are undone the newest first: what one wrote over is what another wrote.

Left behind: blocks, which are about the address, whichever list told of it; plans that were made for what the
file called paid; the history of consent, which then says that it was undone.
"""

from dataclasses import dataclass
from uuid import UUID

from app.base.database import Tx
from app.base.errors import Conflict, Invalid, NotFound, Problem
from app.base.statements import sql
from app.jobs import enqueue, job

CHUNK = 500
"""Readers a transaction."""


@job("undo_import", queue="imports", tries=20)
@dataclass(frozen=True)
class UndoImport:
    """Take back what one import did."""

    import_id: UUID


@dataclass(frozen=True)
class UndoSize:
    """What undoing would do, counted now."""

    gone: int
    restored: int
    kept: int


_BEGIN = """
update import i set state = 'undoing', undone_by_name = :by
where i.id = :id and i.state in ('done', 'failed')
  and exists (select from import_change c where c.account_id = i.account_id and c.import_id = i.id)
returning i.id
"""
# Also one that is under way; who told first is undone last.
_NEWER = """
select o.file_name, o.created_at, o.state from import i
join import o on o.account_id = i.account_id and (o.created_at, o.id) > (i.created_at, i.id)
where i.id = :id and i.kind = 'readers' and (
    (o.state in ('queued', 'running') and o.kind = 'readers' and not o.dry_run)
    or exists (
        select from import_change a
        join import_change b on b.account_id = a.account_id and b.thing_id = a.thing_id
        where a.account_id = i.account_id and a.import_id = i.id and b.import_id = o.id))
order by o.created_at desc limit 1
"""
# Held first, judged then: what they do themselves in the same moment is waited for, and seen.
_HOLD = """
select from reader r where r.id in (select c.thing_id from import_change c where c.import_id = :id
                                    order by c.thing_id limit :most)
order by r.id for update
"""
_STATE = "select state, dry_run, kind from import where id = :id"
_FAIL = "update import set state = 'failed', reason = :reason where id = :id and state = 'undoing'"
_END = "update import set state = 'undone', undone_at = godwit_now() where id = :id and state = 'undoing'"


async def undo_size(tx: Tx, import_id: UUID) -> UndoSize:
    """How many would go, get back what they had, and stay."""
    row = await tx.row(sql(__package__, "undo_size"), id=import_id)
    assert row is not None
    return UndoSize(*row)


def refuse_other_size(size: UndoSize, shown: str) -> None:
    """Raises Invalid when more or fewer readers than `shown` would go: more than one in a hundred."""
    said = int(shown) if shown.isascii() and shown.isdigit() else None
    if said is None:
        raise Invalid([Problem("", "This form is not whole. Look at the numbers again; nothing was undone.")])
    if abs(size.gone - said) > said / 100:
        words = (
            f"{said:,} would have gone and {size.gone:,} would by now. Look once more; nothing was undone."
        )
        raise Invalid([Problem("", words)])


async def begin_undo(tx: Tx, import_id: UUID, by: str) -> None:
    """Make its job. Raises NotFound, and Conflict when there is nothing to undo, or another comes first."""
    if newer := await tx.row(_NEWER, id=import_id):
        name = f"“{newer.file_name}”" if newer.file_name else "a file by the API"
        of = f"{name}, of {newer.created_at:%d %B %Y at %H:%M} UTC"
        if newer.state in ("queued", "running"):
            raise Conflict(f"A newer import is under way: {of}. Wait until it is done; nothing was changed.")
        raise Conflict(
            f"A newer import told of some of the same readers: {of}. Undo it first; nothing was changed."
        )
    if await tx.value(_BEGIN, id=import_id, by=by):
        await enqueue(tx, UndoImport(import_id))  # once: only who moved it comes here
        return
    there = await tx.row(_STATE, id=import_id)
    if there is None:
        raise NotFound("There is no such import.")
    if there.state in ("undoing", "undone"):
        raise Conflict(f"This import is {there.state} already.")
    if there.dry_run:
        raise Conflict("This was a dry run: it changed nothing, so there is nothing to undo.")
    raise Conflict(f"This import is {there.state} and changed nothing that can be undone.")


async def undo_some(tx: Tx, import_id: UUID) -> bool:
    """Take back the next readers; False when none are left."""
    await tx.execute(_HOLD, id=import_id, most=CHUNK)
    row = await tx.row(sql(__package__, "undo_some"), id=import_id, most=CHUNK)
    return bool(row and row.taken)


async def end_undo(tx: Tx, import_id: UUID) -> None:
    """Nothing of it is left."""
    await tx.execute(_END, id=import_id)


async def fail_undo(tx: Tx, import_id: UUID, reason: str) -> None:
    """It cannot go on; what was undone stays so, and the rest can be undone again."""
    await tx.execute(_FAIL, id=import_id, reason=reason)
