"""Segments in the JSON API: their ids are what `publish` asks for."""

from datetime import datetime
from typing import Any

from litestar import get
from msgspec import Struct

from app.accounts import ApiCaller
from app.audiences.criteria import fields_of
from app.audiences.listing import count_found
from app.audiences.segmenting import Segment, resolved, segments


class SegmentItem(Struct):
    """A filter of readers under a name. `filter` is as the address of the list of readers has it."""

    id: str
    name: str
    filter: dict[str, str]
    readers: int
    changed_at: datetime


class SegmentList(Struct):
    """All of them, by name; `next` is null: there is no second page."""

    items: list[SegmentItem]
    next: str | None


@get("/segments")
async def list_segments(caller: ApiCaller) -> SegmentList:
    """Every segment, by name, with how many readers are in it now."""
    async with caller.transaction() as tx:
        found = [(one, await count_found(tx, await resolved(tx, one.filter))) for one in await segments(tx)]
    return SegmentList([_item(one, size) for one, size in found], None)


def _item(one: Segment, size: int) -> SegmentItem:
    return SegmentItem(str(one.id), one.name, fields_of(one.filter), size, one.changed_at)


HANDLERS: tuple[Any, ...] = (list_segments,)
