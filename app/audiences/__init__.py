"""Audiences: a filter becomes a Select of readers, a list to look through, and a size.

Owns the tables segment, bulk_act and bulk_change, and the studio's list of readers. What goes to the ledger
is a value: a SQLAlchemy `Select` with the columns reader_id and variant, from which it records who is in a
mailing.

Words: a *filter* says which readers are meant; it is read from an address (`filter_of`) or a stored form
(`stored_filter`). A *segment* is a filter with a name. The *audience* of a newsletter is everybody whom the
view `mailable` has for it, or those of them whom a segment has; *left out* are those with a subscription who
will not get it, by why; *outside* those who are only not in the segment. The *variant* says which form of a
post a reader gets: `full`, or `preview` of one that they may not read whole (`entitled`, see plans). An *act*
is something done with all that a filter finds: tag, untag, unsubscribe, erase.

Promises:
 A1 The Select and the size agree: both are what `mailable` says, with a filter and without.
 A2 Will get it + left out + outside = everybody who ever subscribed to the newsletter, from one statement.
 A3 A filter that cannot be read is refused, field by field with what to do; also a stored one: an audience
    is never larger because of what this version does not know.
 A4 Each figure of an audience opens a list of exactly as many readers.
 A5 Who is in a segment is asked when it is needed; what is going out keeps those it had.
 A6 An act goes on where its last commit ended, whatever is killed; tags that it changed are given back to
    exactly those who had them, for thirty days.
 A7 An act says its size before; what cannot be taken back is typed with that size; changed by over 1%, it is
    asked again. Whoever comes later is not in it, nor is a segment that is changed later.
 A8 What is taken along as CSV is whole, is kept nowhere, and holds no formula. Brought back, it changes
    nothing.

Jobs: act_on_readers, prune_bulk_acts.
"""

from app.audiences.criteria import ReaderFilter, fields_of, filter_of, stored_filter
from app.audiences.exporting import COLUMNS, ReaderRow, reader_cells
from app.audiences.filters import select_readers
from app.audiences.jobs import PruneBulkActs
from app.audiences.left import EVERY as LEFT_EVERY
from app.audiences.left import fail_left
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
    "COLUMNS",
    "LEFT_EVERY",
    "AudienceSize",
    "LeftOut",
    "PruneBulkActs",
    "ReaderFilter",
    "ReaderRow",
    "Segment",
    "audience_lists",
    "change_segment",
    "delete_segment",
    "fail_left",
    "fields_of",
    "filter_of",
    "make_segment",
    "reader_cells",
    "resolved",
    "segment",
    "segments",
    "select_readers",
    "size",
    "stored_filter",
]
