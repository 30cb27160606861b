"""The list of readers that a filter finds, page by page, and how many there are in all, by state."""

from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Select, func, select, tuple_

from app.audiences.criteria import EVERYBODY, ReaderFilter
from app.audiences.filters import READER, conditions, searched
from app.base.database import Tx
from app.readers import ReaderCounts, ReaderView, newsletter_standing, reader_counts, readers_by_id

Place = tuple[datetime, UUID]


async def readers_found(
    tx: Tx, wanted: ReaderFilter, *, older: Place | None = None, newer: Place | None = None, limit: int
) -> list[ReaderView]:
    """Newest first: those after `older`, or the nearest before `newer`; both name a place in the list.

    The filter is resolved. Rows that are added meanwhile repeat nobody.
    """
    rows = await tx.rows(_page(matching(wanted), older, newer, limit))
    found = await readers_by_id(tx, [row.id for row in rows])
    there = [found[row.id] for row in rows if row.id in found]
    return there[::-1] if newer and not older else there


async def counts_found(tx: Tx, wanted: ReaderFilter) -> ReaderCounts | None:
    """How many there are in each state, of all readers or of one newsletter's: true totals, never cut.

    None for any other filter, whose parts would each be as dear as the whole; see `count_found`.
    """
    anyone = replace(wanted, state=None)
    if anyone == EVERYBODY:
        return await reader_counts(tx)
    if anyone.newsletter and anyone == ReaderFilter(newsletter=anyone.newsletter):
        standing = await newsletter_standing(tx, anyone.newsletter)
        out = standing.left_out
        return ReaderCounts(standing.will, out.unconfirmed, out.unsubscribed, out.blocked)
    return None


async def count_found(tx: Tx, wanted: ReaderFilter) -> int:
    """How many the filter (resolved) finds: the size that an act on them names."""
    return await tx.value(select(func.count()).select_from(matching(wanted).subquery()))


def matching(wanted: ReaderFilter) -> Select[Any]:
    """Whom the filter finds: columns id and joined_at."""
    if wanted.search and wanted == ReaderFilter(search=wanted.search):
        # Asked once more in the table, a part that many have would cost as much again.
        found = searched(wanted.search)
        return _of(found)
    return _of(READER).where(*conditions(wanted))


def _of(readers: Any) -> Select[Any]:
    chosen: Any = select(readers.c.id, readers.c.joined_at)
    return chosen


def _page(chosen: Select[Any], older: Place | None, newer: Place | None, limit: int) -> Select[Any]:
    joined_at, reader_id = chosen.selected_columns["joined_at"], chosen.selected_columns["id"]
    place = tuple_(joined_at, reader_id)
    if older:
        chosen = chosen.where(place < older)
    elif newer:
        return chosen.where(place > newer).order_by(joined_at, reader_id).limit(limit)
    return chosen.order_by(joined_at.desc(), reader_id.desc()).limit(limit)
