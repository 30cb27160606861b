"""Readers: the people an account writes to, and what each of them agreed to.

Owns the tables newsletter, reader, subscription, consent, reader_tag and erased_reader, and (with
suppressions) the view `mailable`: who may be mailed a newsletter right now.

Words: a *reader* is an address known to one account. A *newsletter* is a stream of mail they opt
in to; a *subscription* is the two together, with the *consent* it stands on. Every change of a
subscription leaves a row in `consent`, which is only ever added to. A reader's state is derived
(states.py). An *arrival* is a reader brought along from another product.

Promises:
 R1 One canonical address is one reader of an account, whatever spelling is given and however many
    add it at the same instant. Adding one who exists changes nothing and says so.
 R2 An unsubscribe is lifted by the reader alone: no import, API call or studio form does it.
 R3 An unsubscribe holds from its commit on: every claim begun after it leaves the reader out.
 R4 An erased reader leaves no address behind, only a keyed hash; no import brings them back.
 R5 Opening an unsubscribe link changes nothing, its button does (and RFC 8058's one click), at
    once and without signing in; a second press changes nothing.
 R6 Lists go newest first by keyset: rows added meanwhile repeat nobody. Totals are never cut.
"""

from app.readers.additions import LONGEST_NAME, LONGEST_NOTE, LONGEST_TAG, NewReader, add_reader
from app.readers.arrivals import Arrival, RowOutcome, import_leavers, import_readers
from app.readers.changes import Change, change_reader
from app.readers.counts import (
    LastWeek,
    LeftOut,
    ReaderCounts,
    last_week,
    newsletter_standing,
    reader_counts,
)
from app.readers.erasure import erase_reader, was_erased
from app.readers.queries import (
    ReaderFilter,
    ReaderName,
    ReaderView,
    consent_history,
    find_reader,
    names_of,
    reader,
    readers,
)
from app.readers.streams import Newsletter, default_newsletter, newsletter, newsletter_by_slug, newsletters
from app.readers.subscriptions import Consent, subscribe, unsubscribe

__all__ = [
    "LONGEST_NAME",
    "LONGEST_NOTE",
    "LONGEST_TAG",
    "Arrival",
    "Change",
    "Consent",
    "LastWeek",
    "LeftOut",
    "NewReader",
    "Newsletter",
    "ReaderCounts",
    "ReaderFilter",
    "ReaderName",
    "ReaderView",
    "RowOutcome",
    "add_reader",
    "change_reader",
    "consent_history",
    "default_newsletter",
    "erase_reader",
    "find_reader",
    "import_leavers",
    "import_readers",
    "last_week",
    "names_of",
    "newsletter",
    "newsletter_by_slug",
    "newsletter_standing",
    "newsletters",
    "reader",
    "reader_counts",
    "readers",
    "subscribe",
    "unsubscribe",
    "was_erased",
]
