"""Publishing: the way from a draft to the site and to the readers' inboxes.

The one slice that knows posts, audiences and broadcasts. It makes the *plan* (who gets it, who not, the check
list, how long it takes), the *preview*, and the one transaction that a *press* of the button is: the draft
frozen, the release numbered, the email started, the press remembered by its key.

Words: *press* (a creator's click or an API call), *publication* (what a press did), *plan*.

Owns the tables publication and scheduled. Jobs: publish_scheduled, end_scheduled.

Promises:
1. Everything a press does commits together, or nothing does (W1, E1): no number is burnt, nobody is mailed.
2. A second press of the same button, or the same Idempotency-Key, gets the first one's answer: one release,
   one email, also when both arrive at one instant.
3. A post goes to a newsletter once; a second time is a Conflict naming the email, unless it is asked for.
4. Nothing goes to other readers than the page said: past one percent of difference the press asks again.
5. A preview is made by the renderer that sends.
6. A wall time becomes an instant once, in the publication's zone: one that the clocks go forward over is
   moved forward by as much, of one that comes twice it is the first. Only the instant is waited for.
7. What was scheduled goes out once, with the text as it was frozen, whatever is pressed or killed meanwhile;
   or it is failed, with the reason, on its page and in a mail to the team, also when its job broke at every
   try or died. A post has one that waits. Sent now by a person its email can be undone, as after any press.
8. What is sure to be wrong at its time is refused when it is scheduled.

Slices below are entered by their doors.
"""

from app.publishing.checklist import check
from app.publishing.plans import plan
from app.publishing.preview import mail_preview
from app.publishing.publications import Press, Publication, publish
from app.publishing.scheduling import (
    PublishScheduled,
    cancel_scheduled,
    move_scheduled,
    publish_due,
    publish_scheduled_now,
    schedule,
)
from app.publishing.waiting import Scheduled, scheduled
from app.publishing.wanted import CountChanged, Email

__all__ = [
    "CountChanged",
    "Email",
    "Press",
    "Publication",
    "PublishScheduled",
    "Scheduled",
    "cancel_scheduled",
    "check",
    "mail_preview",
    "move_scheduled",
    "plan",
    "publish",
    "publish_due",
    "publish_scheduled_now",
    "schedule",
    "scheduled",
]
