"""Audiences: a filter becomes a Select of readers, a list to look through, and a size.

Owns the table segment. What goes to the ledger is a value: a SQLAlchemy `Select` with the columns
reader_id and variant, from which it records who is in a mailing.

Words: a *filter* says which readers are meant; it is read from an address (`filter_of`) or a stored form
(`stored_filter`). A *segment* is a filter with a name. The *audience* of a newsletter is everybody whom the
view `mailable` has for it, or those of them whom a segment has; *left out* are those with a subscription who
will not get it, by why; *outside* those who are only not in the segment. The *variant* says which form of a
post a reader gets: `full`, or `preview` of one that they may not read whole (`entitled`, see plans).

Promises:
 A1 The Select and the size agree: both are what `mailable` says, with a filter and without.
 A2 Will get it + left out + outside = everybody who ever subscribed to the newsletter, from one statement.
 A3 A filter that cannot be read is refused, field by field with what to do; also a stored one: an audience
    is never larger because of what this version does not know.
 A4 Each figure of an audience opens a list of exactly as many readers.
 A5 Who is in a segment is asked when it is needed; what is going out keeps those it had.
"""

from app.audiences.criteria import ReaderFilter, fields_of, filter_of, stored_filter
from app.audiences.filters import select_readers
from app.audiences.segmenting import (
    Segment,
    change_segment,
    delete_segment,
    make_segment,
    resolved,
    segment,
    segments,
)
from app.audiences.sizes import AudienceSize, audience_lists, size
from app.readers import LeftOut

__all__ = [
    "AudienceSize",
    "LeftOut",
    "ReaderFilter",
    "Segment",
    "audience_lists",
    "change_segment",
    "delete_segment",
    "fields_of",
    "filter_of",
    "make_segment",
    "resolved",
    "segment",
    "segments",
    "select_readers",
    "size",
    "stored_filter",
]
