"""Acts on many readers: ordered with their size, done by a job slice by slice, tags taken back by another."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from app.audiences.criteria import ReaderFilter
from app.audiences.jobs import ActOnReaders
from app.audiences.listing import count_found
from app.audiences.slices import frozen, meant
from app.audiences.states import TYPED, Act, BulkState
from app.base import ids
from app.base.database import Tx
from app.base.errors import Conflict, Invalid, NotFound, Problem
from app.jobs import enqueue

GONE = "There is no such act. Perhaps it is long over."


@dataclass(frozen=True)
class NewAct:
    """An act to order. `filter` is resolved; `tag` is of tag and untag; `newsletter_id` None: from all.

    `shown` is the size that the page named, `typed` what was typed to confirm it.
    """

    act: Act
    filter: ReaderFilter
    shown: int
    by: str
    tag: str = ""
    newsletter_id: UUID | None = None
    typed: str = ""


@dataclass(frozen=True)
class BulkAct:
    """An act and how far it is: of `expected` readers `looked` at, `changed` of them.

    `undone_by` is the act that took it back.
    """

    id: UUID
    act: Act
    filter: ReaderFilter
    tag: str
    newsletter: str
    undoes: UUID | None
    undone_by: UUID | None
    state: BulkState
    expected: int
    looked: int
    changed: int
    reason: str
    by: str
    created_at: datetime
    ended_at: datetime | None

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen in it."""
        return self.state in ("done", "failed")

    @property
    def may_undo(self) -> bool:
        """Whether what it changed can still be taken back: tags only, and once."""
        return (
            self.is_over
            and self.act not in TYPED
            and not (self.undoes or self.undone_by)
            and bool(self.changed)
        )


_ACT = """
select a.id, a.act, a.filter, a.tag, coalesce(n.name, '') as newsletter, a.undoes,
       (select u.id from bulk_act u where u.account_id = a.account_id and u.undoes = a.id) as undone_by,
       a.state, a.expected, a.looked, a.changed, coalesce(a.reason, '') as reason, a.made_by_name,
       a.created_at, a.ended_at
from bulk_act a left join newsletter n on n.account_id = a.account_id and n.id = a.newsletter_id
"""
_MAKE = """
insert into bulk_act (account_id, id, act, filter, tag, newsletter_id, expected, made_by_name)
values (:account, :id, :act, cast(:filter as jsonb), :tag, cast(:newsletter as uuid), :expected, :by)
"""
_UNDO = """
insert into bulk_act (account_id, id, act, filter, tag, undoes, expected, made_by_name)
select a.account_id, :id, case a.act when 'tag' then 'untag' else 'tag' end, a.filter, a.tag, a.id,
       a.changed, :by
from bulk_act a where a.id = :undoes and a.state in ('done', 'failed') and a.act in ('tag', 'untag')
    and a.undoes is null and a.changed > 0
on conflict do nothing
"""


async def order_act(tx: Tx, new: NewAct) -> UUID:
    """Order it; the job is made with it. Raises Invalid when it is not confirmed, or its size has changed."""
    present = await count_found(tx, new.filter)
    problems = _problems(new, present)
    if problems:
        raise Invalid(problems)
    made = ids.new()
    await tx.execute(
        _MAKE,
        account=tx.account_id,
        id=made,
        act=new.act,
        filter=frozen(new.filter),
        tag=new.tag,
        newsletter=new.newsletter_id,
        expected=present,
        by=new.by,
    )
    await _enqueue(tx, made)
    return made


async def undo_act(tx: Tx, act_id: UUID, by: str) -> UUID:
    """Take back what it changed: those who got the tag by it lose it, those who lost it get it again.

    Raises NotFound, and Conflict when it cannot be taken back (any more).
    """
    found = await bulk_act(tx, act_id)
    made = ids.new()
    if not found.may_undo or not await tx.execute(_UNDO, id=made, undoes=act_id, by=by):
        raise Conflict("This cannot be taken back, or it was already.")
    await _enqueue(tx, made)
    return made


async def bulk_act(tx: Tx, act_id: UUID) -> BulkAct:
    """Raises NotFound."""
    row = await tx.row(f"{_ACT} where a.id = :id", id=act_id)
    if row is None:
        raise NotFound(GONE)
    return _view(row)


async def bulk_acts(tx: Tx, most: int = 50) -> list[BulkAct]:
    """The newest acts, newest first."""
    rows = await tx.rows(f"{_ACT} order by a.created_at desc, a.id desc limit :most", most=most)
    return [_view(row) for row in rows]


def _problems(new: NewAct, present: int) -> list[Problem]:
    if not present:
        return [Problem("", "Nobody is like that by now: there is nothing to do.")]
    if abs(present - new.shown) > new.shown / 100:
        return [Problem("", f"It was {new.shown:,} readers and is {present:,} by now. Look once more.")]
    if new.act in ("tag", "untag"):
        return [] if new.tag else [Problem(f"{new.act}-tag", "Name the tag.")]
    phrase = f"{new.act} {new.shown:,}"
    if re.sub(r"[\s,.']", "", new.typed).lower() != re.sub(r"[\s,]", "", phrase):
        return [Problem(f"{new.act}-typed", f"Type “{phrase}” to do so. Nothing was done.")]
    return []


async def _enqueue(tx: Tx, act_id: UUID) -> None:
    await enqueue(tx, ActOnReaders(act_id), key=str(act_id), lane="readers")


def _view(row: Any) -> BulkAct:
    fields = list(row)
    fields[2] = meant(row.filter)
    return BulkAct(*fields)
