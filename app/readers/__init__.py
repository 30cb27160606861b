"""Readers: the people an account writes to, and what each of them agreed to.

Owns the tables newsletter, reader, subscription, consent, reader_tag and erased_reader; confirmation,
reader_code, reader_session and sign_up_hour, by which they come and go themselves; and (with suppressions)
the view `mailable`: who may be mailed a newsletter right now.

Words: a *reader* is an address known to one account. A *newsletter* is a stream of mail they opt
in to; a *subscription* is the two together, with the *consent* it stands on. Every change of a
subscription leaves a row in `consent`, which is only ever added to. A reader's state is derived
(states.py). An *arrival* is a reader brought along from another product. *Asked* is what a form or a
program says of an address; it counts once whoever has the address *confirms* it.

Promises:
 R1 One canonical address is one reader of an account, whatever spelling is given and however many
    add it at the same instant. Adding one who exists changes nothing and says so.
 R2 An unsubscribe is lifted by the reader alone: no import, API call or studio form does it.
 R3 An unsubscribe holds from its commit on: every claim begun after it leaves the reader out.
 R4 An erased reader leaves no address behind, only a keyed hash; no import brings them back.
 R5 Opening an unsubscribe link changes nothing, its button does (and RFC 8058's one click), at
    once and without signing in; a second press changes nothing.
 R6 Lists go newest first by keyset: rows added meanwhile repeat nobody. Totals are never cut.
 R7 A subscription that was asked for begins by the button behind a mailed link, never by opening it; what
    nobody confirms in seven days is forgotten. Leaving after asking wins over the link.
 R8 Who asks learns nothing of the address: page, status and time are the same, known or not; a reader is
    never changed by it, and an address is mailed a few times a day at most.
 R9 A reader signs in by a mailed code, or on any device by the button of its link; no GET begins a session,
    and who uses one, if only by reading, stays signed in. They come back to the page that sent them.
 R10 A code has five tries and ten minutes; a new one does not lift the limits of the day. A stranger's asking
    and guessing spends nothing of anybody else's: there is always a mail that lets its reader in.
 R11 A reader sees, changes, takes along and erases what is theirs, without asking anybody.
 R12 A form that is asked too often is slowed, then refused for a while, and the studio shows it.
 R13 A newsletter's welcome mail goes once to a reader, after their own confirm.
 R14 What becomes of a reader is announced to webhooks with the change (W1), once an act (announcing.py); who
    only asked is announced to nobody, and of who was erased only the id is.

Jobs: expire_unconfirmed, welcome_reader (handled in broadcasts, which renders), address_bounced.
"""

from app.readers.additions import LONGEST_NAME, LONGEST_NOTE, LONGEST_TAG, NewReader, add_reader
from app.readers.arrivals import Arrival, RowOutcome, import_readers
from app.readers.changes import Change, change_reader
from app.readers.counts import (
    LastWeek,
    LeftOut,
    ReaderCounts,
    last_week,
    newsletter_standing,
    reader_counts,
    standing_of,
)
from app.readers.erasure import erase_reader, erased_when, was_erased
from app.readers.flooding import Flood, floods
from app.readers.given import Checked, odd_time
from app.readers.jobs import WelcomeReader
from app.readers.letters import signature
from app.readers.queries import (
    ConsentEntry,
    ReaderFilter,
    ReaderName,
    ReaderView,
    consent_history,
    find_reader,
    known_tags,
    names_of,
    reader,
    readers,
    readers_by_id,
)
from app.readers.sessions import COOKIE as READER_COOKIE
from app.readers.sessions import reader_cookie, session_of, signed_in, slide_session
from app.readers.sessions import start_session as start_reader_session
from app.readers.sign_up import Asked, ask
from app.readers.states import READER_STATES, SOURCES, ReaderState, Source
from app.readers.streams import Newsletter, default_newsletter, newsletter, newsletter_by_slug, newsletters
from app.readers.subscriptions import Consent, subscribe, unsubscribe, unsubscribe_many

__all__ = [
    "LONGEST_NAME",
    "LONGEST_NOTE",
    "LONGEST_TAG",
    "READER_COOKIE",
    "READER_STATES",
    "SOURCES",
    "Arrival",
    "Asked",
    "Change",
    "Checked",
    "Consent",
    "ConsentEntry",
    "Flood",
    "LastWeek",
    "LeftOut",
    "NewReader",
    "Newsletter",
    "ReaderCounts",
    "ReaderFilter",
    "ReaderName",
    "ReaderState",
    "ReaderView",
    "RowOutcome",
    "Source",
    "WelcomeReader",
    "add_reader",
    "ask",
    "change_reader",
    "consent_history",
    "default_newsletter",
    "erase_reader",
    "erased_when",
    "find_reader",
    "floods",
    "import_readers",
    "known_tags",
    "last_week",
    "names_of",
    "newsletter",
    "newsletter_by_slug",
    "newsletter_standing",
    "newsletters",
    "odd_time",
    "reader",
    "reader_cookie",
    "reader_counts",
    "readers",
    "readers_by_id",
    "session_of",
    "signature",
    "signed_in",
    "slide_session",
    "standing_of",
    "start_reader_session",
    "subscribe",
    "unsubscribe",
    "unsubscribe_many",
    "was_erased",
]
