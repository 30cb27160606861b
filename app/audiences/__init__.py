"""Audiences: a filter becomes a Select of readers.

Owns no table. What it answers is a value: a SQLAlchemy `Select` with the columns reader_id and
variant, from which the ledger records who is in a mailing, and the size of it for people.

Words: the *audience* of a newsletter is everybody whom the view `mailable` has for it; *left out*
are those with a subscription who will not get it, by why. The *variant* says which form of a post
a reader gets: `full`, or `preview` of a paid one (later; now always `full`).

Promises:
 A1 The Select and the size agree: both are what `mailable` says.
 A2 Will get it + left out = everybody who ever subscribed to the newsletter, from one statement.
"""

from app.audiences.filters import select_readers
from app.audiences.sizes import AudienceSize, size
from app.readers import LeftOut

__all__ = ["AudienceSize", "LeftOut", "select_readers", "size"]
