"""The ledger: a row per reader per mailing, and what became of it.

Owns the tables mailing, send, batch and tally. A mailing has an opaque source (kind, id)
and frozen content; the ledger never hears of a broadcast. Mail leaves in three commits:
*claim* (planned → sending, into a batch, only for whom `mailable` allows it), *talk* (one
call to the provider, no transaction open), *settle* (what the provider said, by batch and
lease). What is not known is *unknown*, and asked of the provider's own record.

Words: *mailing*, *send* (one reader of it), *batch* (the sends of one call), *permit* (the
feeder's leave to send n), *tally* (the figures, changed in the statement that changes the
rows, summed when read), *audit* (the figures compared with the rows and with the provider).

Promises: L1 never two sends for one reader of one mailing. L2 a crash while building loses
and doubles no one. L3 no mail leaves without a committed claim naming its batch. L4 an
unknown is never sent again without evidence. L5 every claim begun after an unsubscribe
respects it. L6 a retry sends the same bytes. L7 the figures add up at every moment. L8 every
refusal's reason is on its row. L9 500 readers are not behind 500,000.

Jobs: deliver_sends (a permit), look_up_batch, audit_mailing. Timers: `feed` each second and
`sweep` beside the queues. Lock order: mailing → send → tally.
"""

from app.ledger.build import ChunkRecorded, record_chunk
from app.ledger.contents import Content, NewMailing, content_of, start_mailing
from app.ledger.feeder import feed
from app.ledger.forgetting import forget_reader
from app.ledger.queries import (
    Figures,
    MailingView,
    ReaderSend,
    SendView,
    mailing_view,
    mailing_views,
    sends_of_mailing,
    sends_of_reader,
)
from app.ledger.reconciliation import sweep
from app.ledger.states import MailingState, SendState
from app.ledger.waiting import waiting_sends

__all__ = [
    "ChunkRecorded",
    "Content",
    "Figures",
    "MailingState",
    "MailingView",
    "NewMailing",
    "ReaderSend",
    "SendState",
    "SendView",
    "content_of",
    "feed",
    "forget_reader",
    "mailing_view",
    "mailing_views",
    "record_chunk",
    "sends_of_mailing",
    "sends_of_reader",
    "start_mailing",
    "sweep",
    "waiting_sends",
]
