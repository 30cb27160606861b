"""The ledger: a row per reader per mailing, and what became of it.

Owns the tables mailing, send, batch, tally and possible_double. A mailing has an opaque source (kind, id)
and frozen content; the ledger never hears of a broadcast. Mail leaves in three steps:
*claim* (planned → sending, into a batch, only for whom `mailable` allows it), *talk* (one
call to the provider, no transaction open), *settle* (what the provider said, by batch and
lease). What is not known is *unknown*, and asked of the provider's own record.

Words: *mailing*, *send* (one reader of it), *batch* (the sends of one call), *permit* (the
feeder's leave to send n), *tally* (the figures, changed in the statement that changes the
rows, summed when read), *audit* (the figures compared with the rows and with the provider).

A person pauses, resumes and cancels, has failed copies tried again, readers added who have
none, and decides on the unknown (`moves`); a mailing pauses by itself when its provider is not
reached, refuses us or puts it off for days (`obstacles`), and when its source says so
(`pause_for`). Evidence applies at any time; who may have got two is listed. `on_change` names
a job, enqueued when a mailing finishes or needs a person.

Promises: L1 never two sends for one reader of one mailing; a possible double is never silent.
L2 a crash while building loses and doubles no one. L3 no mail leaves without a committed claim
naming its batch. L4 an unknown is never sent again without evidence, or a person. L5 every claim
begun after an unsubscribe, pause or switch respects it. L6 a retry sends the same bytes. L7 the
figures add up at every moment. L8 every refusal's reason is on its row. L9 500 readers are not
behind 500,000. L10 held is never lost.

Jobs: deliver_sends (a permit), look_up_batch, skip_cancelled, audit_mailing. Timers: `feed` each second and
`sweep` beside the queues. Lock order: mailing → send → tally.
"""

from app.ledger.build import ChunkRecorded, record_chunk
from app.ledger.changes import Change, hears_of_mailings
from app.ledger.contents import (
    Content,
    NewMailing,
    StartedMailing,
    content_of,
    start_mailing,
    unsubscribe_parts,
    unsubscribe_token,
)
from app.ledger.evidence import Applied, PossibleDouble, apply_evidence, possible_doubles
from app.ledger.feeder import feed
from app.ledger.forgetting import forget_reader
from app.ledger.moves import Resumed, cancel, decide, pause, resume, retry_failed, send_to_missing
from app.ledger.obstacles import pause_for
from app.ledger.queries import (
    Figures,
    MailingView,
    ReaderSend,
    SendView,
    mailing_view,
    mailing_views,
    sends_of_mailing,
    sends_of_reader,
    sent_from,
)
from app.ledger.reconciliation import sweep
from app.ledger.states import MailingState, SendState
from app.ledger.waiting import waiting_sends
from app.ledger.web_views import WebView, web_view

__all__ = [
    "Applied",
    "Change",
    "ChunkRecorded",
    "Content",
    "Figures",
    "MailingState",
    "MailingView",
    "NewMailing",
    "PossibleDouble",
    "ReaderSend",
    "Resumed",
    "SendState",
    "SendView",
    "StartedMailing",
    "WebView",
    "apply_evidence",
    "cancel",
    "content_of",
    "decide",
    "feed",
    "forget_reader",
    "hears_of_mailings",
    "mailing_view",
    "mailing_views",
    "pause",
    "pause_for",
    "possible_doubles",
    "record_chunk",
    "resume",
    "retry_failed",
    "send_to_missing",
    "sends_of_mailing",
    "sends_of_reader",
    "sent_from",
    "start_mailing",
    "sweep",
    "unsubscribe_parts",
    "unsubscribe_token",
    "waiting_sends",
    "web_view",
]
