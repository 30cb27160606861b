"""Segments: a filter of readers with a name. Who is in one is asked anew each time."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy.exc import IntegrityError

from app.audiences.criteria import EVERYBODY, ReaderFilter, fields_of, stored_filter
from app.base import ids
from app.base.database import Tx
from app.base.errors import Conflict, Invalid, NotFound, Problem
from app.base.fields import one_line

LONGEST_NAME = 120
GONE = "There is no such segment. Perhaps somebody deleted it."


@dataclass(frozen=True)
class Segment:
    """A filter with a name; `created_by` is the name of whoever made it."""

    id: UUID
    name: str
    filter: ReaderFilter
    created_by: str
    changed_at: datetime


_SEGMENT = "select id, name, filter, created_by_name, changed_at from segment"
_MAKE = """
insert into segment (account_id, id, name, filter, created_by_name)
values (:account, :id, :name, cast(:filter as jsonb), :by)
"""
_CHANGE = """
update segment set name = :name, filter = cast(:filter as jsonb), changed_at = godwit_now() where id = :id
"""


async def segments(tx: Tx) -> list[Segment]:
    """Every segment of the account, by name."""
    return [_segment(row) for row in await tx.rows(f"{_SEGMENT} order by lower(name), id")]


async def segment(tx: Tx, segment_id: UUID) -> Segment:
    """Raises NotFound."""
    row = await tx.row(f"{_SEGMENT} where id = :id", id=segment_id)
    if row is None:
        raise NotFound(GONE)
    return _segment(row)


async def make_segment(tx: Tx, name: str, wanted: ReaderFilter, by: str) -> UUID:
    """Keep a filter under a name. Raises Invalid, and Conflict when another has that name."""
    made = ids.new()
    await _kept(tx, _MAKE, id=made, by=by, account=tx.account_id, **_checked(name, wanted))
    return made


async def change_segment(tx: Tx, segment_id: UUID, name: str, wanted: ReaderFilter) -> None:
    """What is going out to it already keeps the readers it had. Raises NotFound, Invalid and Conflict."""
    if not await _kept(tx, _CHANGE, id=segment_id, **_checked(name, wanted)):
        raise NotFound(GONE)


async def delete_segment(tx: Tx, segment_id: UUID, typed: str) -> None:
    """Its readers stay as they are. Raises NotFound, and Invalid when `typed` is not its name."""
    there = await segment(tx, segment_id)
    if one_line(typed).casefold() != there.name.casefold():
        words = f"Type its name, {there.name}, to delete it. Nothing was deleted."
        raise Invalid([Problem("typed", words)])
    await tx.execute("delete from segment where id = :id", id=segment_id)


async def resolved(tx: Tx, wanted: ReaderFilter) -> ReaderFilter:
    """The filter with those of its segments filled in. Raises Invalid when one of them is gone."""
    return replace(
        wanted,
        segment_filter=await _filter_of(tx, "segment", wanted.segment),
        outside_filter=await _filter_of(tx, "outside", wanted.outside),
    )


async def _filter_of(tx: Tx, field: str, segment_id: UUID | None) -> ReaderFilter | None:
    if segment_id is None:
        return None
    try:
        return (await segment(tx, segment_id)).filter
    except NotFound as error:
        raise Invalid([Problem(field, GONE)]) from error


async def _kept(tx: Tx, statement: str, **binds: Any) -> int:
    try:
        async with tx.savepoint():
            return await tx.execute(statement, **binds)
    except IntegrityError as error:
        raise Conflict(f"There is a segment named “{binds['name']}” already. Choose another name.") from error


def _checked(name: str, wanted: ReaderFilter) -> dict[str, Any]:
    problems: list[Problem] = []
    name = one_line(name)
    if not name:
        problems.append(Problem("name", "Give the segment a name."))
    if len(name) > LONGEST_NAME:
        problems.append(
            Problem("name", f"The name is {len(name):,} characters long; the most is {LONGEST_NAME}.")
        )
    if wanted == EVERYBODY:
        problems.append(Problem("", "Choose something first: without it, the segment is everybody."))
    if wanted.segment or wanted.outside:
        problems.append(Problem("segment", "A segment is not made from another. Take that choice out first."))
    if problems:
        raise Invalid(problems)
    return {"name": name, "filter": fields_of(wanted)}


def _segment(row: Any) -> Segment:
    return Segment(row.id, row.name, stored_filter(row.filter), row.created_by_name, row.changed_at)
