"""Whom an act on many is about, a slice at a time.

It keeps the filter as it was meant when it was ordered, its segments' filters too; whoever is added later
is not in it.
"""

from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Select, select

from app.audiences.criteria import ReaderFilter, fields_of, stored_filter
from app.audiences.filters import READER, conditions


def frozen(wanted: ReaderFilter) -> dict[str, Any]:
    """A resolved filter as an act keeps it."""
    stored: dict[str, Any] = dict(fields_of(wanted))
    if wanted.segment_filter is not None:
        stored["within"] = fields_of(wanted.segment_filter)
    if wanted.outside_filter is not None:
        stored["without"] = fields_of(wanted.outside_filter)
    return stored


def meant(stored: dict[str, Any]) -> ReaderFilter:
    """The resolved filter of an act. Raises Invalid for what cannot be read."""
    own = {name: value for name, value in stored.items() if name not in ("within", "without")}
    return replace(
        stored_filter(own),
        segment_filter=stored_filter(stored["within"]) if "within" in stored else None,
        outside_filter=stored_filter(stored["without"]) if "without" in stored else None,
    )


def slice_of(wanted: ReaderFilter, after: UUID | None, until: datetime, most: int) -> Select[Any]:
    """The next readers by id, of those who were added before `until`."""
    chosen = select(READER.c.id).where(*conditions(wanted), READER.c.created_at <= until)
    if after is not None:
        chosen = chosen.where(READER.c.id > after)
    return chosen.order_by(READER.c.id).limit(most)
