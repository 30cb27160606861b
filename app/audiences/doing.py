"""What an act on many readers does, slice by slice; each commits with how far it is."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from app.audiences.slices import meant, slice_of
from app.base.database import Tx
from app.readers import erase_reader, unsubscribe_many

#: Readers a transaction; erasing touches every book.
SLICE, FEW = 2_000, 100

_TAKE = """
select act, filter, tag, newsletter_id, undoes, state, cursor, made_by_name, created_at
from bulk_act where id = :id for update
"""
_CHANGED = """
select reader_id as id from bulk_change
where act_id = :id and (cast(:after as uuid) is null or reader_id > :after) order by reader_id limit :most
"""
_MOVE = """
update bulk_act set looked = looked + :looked, changed = changed + :changed,
    cursor = coalesce(cast(:cursor as uuid), cursor),
    state = case when :done then 'done' else 'running' end,
    ended_at = case when :done then godwit_now() end,
    -- Whoever was looked for by their address is gone now, and so is the address.
    filter = case when :done and act = 'erase' and filter->>'q' like '%@%'
        then jsonb_set(filter, '{q}', '"an erased reader"') else filter end
where id = :id
"""
_FAIL = """
update bulk_act set state = 'failed', reason = :reason, ended_at = godwit_now()
where id = :id and state in ('queued', 'running')
"""
_TAG = """
insert into reader_tag (account_id, reader_id, tag)
select cast(:account as bigint), r.id, cast(:tag as text)
from reader r where r.id = any (cast(:ids as uuid[]))
order by r.id on conflict do nothing returning reader_id
"""
_UNTAG = """
delete from reader_tag where tag = :tag and reader_id = any (cast(:ids as uuid[])) returning reader_id
"""
_NOTE = """
insert into bulk_change (account_id, act_id, reader_id)
select cast(:account as bigint), :act, given.id from unnest(cast(:ids as uuid[])) as given (id)
"""


async def take_slice(tx: Tx, act_id: UUID) -> bool:
    """Do the next slice of an act. True when it is over, or gone."""
    act = await tx.row(_TAKE, id=act_id)
    if act is None or act.state in ("done", "failed"):
        return True
    most = FEW if act.act == "erase" else SLICE
    chosen = await _chosen(tx, act, most)
    changed = await _do(tx, act_id, act, chosen) if chosen else 0
    done = len(chosen) < most
    await tx.execute(
        _MOVE,
        id=act_id,
        looked=len(chosen),
        changed=changed,
        cursor=chosen[-1] if chosen else None,
        done=done,
    )
    return done


async def fail_act(tx: Tx, act_id: UUID, reason: str) -> None:
    """It cannot go on; what was done stays done."""
    await tx.execute(_FAIL, id=act_id, reason=reason)


async def _chosen(tx: Tx, act: Any, most: int) -> list[UUID]:
    if act.undoes is not None:
        rows = await tx.rows(_CHANGED, id=act.undoes, after=act.cursor, most=most)
    else:
        rows = await tx.rows(slice_of(meant(act.filter), act.cursor, act.created_at, most))
    return [row.id for row in rows]


async def _do(tx: Tx, act_id: UUID, act: Any, chosen: Sequence[UUID]) -> int:
    by = f"by {act.made_by_name}, in the studio, with many others"
    match act.act:
        case "tag" | "untag":
            return await _retag(tx, act_id, act, list(chosen))
        case "unsubscribe":
            return await unsubscribe_many(tx, list(chosen), act.newsletter_id, by)
        case _:
            return sum([await erase_reader(tx, one) for one in chosen])


async def _retag(tx: Tx, act_id: UUID, act: Any, chosen: list[UUID]) -> int:
    binds = {"account": tx.account_id} if act.act == "tag" else {}
    rows = await tx.rows(_TAG if act.act == "tag" else _UNTAG, tag=act.tag, ids=chosen, **binds)
    changed = [row.reader_id for row in rows]
    if act.undoes is None:
        await tx.execute(_NOTE, account=tx.account_id, act=act_id, ids=changed)
    return len(changed)
