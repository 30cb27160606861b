"""Broadcasts: one frozen revision of a post, mailed to one audience.

Owns the table broadcast: what was mailed, to which newsletter, who pressed send and when,
who was left out. The copies themselves are the ledger's: a broadcast names its mailing,
and its figures and state are the mailing's. A post is mailed to a newsletter once, unless
somebody asks to mail everyone again (unique index broadcast_once); one that nobody got does not count.

Words: *broadcast* (a creator reads "email"), *left out* (who is in the newsletter's book and
will not get it: unsubscribed, blocked, unconfirmed).

`start_broadcast` runs in the one transaction of a publication: broadcast, mailing and build
job commit together (E1). The build (job `build_broadcast`, queue build) reads the audience in
committed chunks (L2): here, because only this slice knows audiences and ledger both.

Timer `pause_unread` pauses what has lost its build job: nobody waits for an audience that is not read.
Job `broadcast_changed` mails the team when the mailing finishes or needs a person, and webhooks are told so;
they are told of the start when its audience begins to be read.

The broadcast's page is live: a stream sends its one fragment whenever the figures moved, and
the figures add up to the audience at every moment (L7).
"""

from app.broadcasts.content import RenderedMail, Variant, has_preview, no_way_out, render_mail
from app.broadcasts.live import live_response
from app.broadcasts.once import MailedBefore, mailed_before
from app.broadcasts.progress import BroadcastLine, Progress, read_broadcasts
from app.broadcasts.queries import broadcast_view
from app.broadcasts.specimen import sample_values
from app.broadcasts.starting import NewBroadcast, sender_of, start_broadcast
from app.broadcasts.unread import pause_unread

__all__ = [
    "BroadcastLine",
    "MailedBefore",
    "NewBroadcast",
    "Progress",
    "RenderedMail",
    "Variant",
    "broadcast_view",
    "has_preview",
    "live_response",
    "mailed_before",
    "no_way_out",
    "pause_unread",
    "read_broadcasts",
    "render_mail",
    "sample_values",
    "sender_of",
    "start_broadcast",
]
