"""Publishing: the way from a draft to the site and to the readers' inboxes.

The one slice that knows posts, audiences and broadcasts. It makes the *plan* (who gets it, who not, the check
list, how long it takes), the *preview*, and the one transaction that a *press* of the button is: the draft
frozen, the release numbered, the email started, the press remembered by its key.

Words: *press* (a creator's click or an API call), *publication* (what a press did), *plan*.

Owns the table publication. No jobs: what goes out later is the broadcast's.

Promises:
1. Everything a press does commits together, or nothing does (W1, E1): no number is burnt, nobody is mailed.
2. A second press of the same button, or the same Idempotency-Key, gets the first one's answer: one release,
   one email, also when both arrive at one instant.
3. A post goes to a newsletter once; a second time is a Conflict naming the email, unless it is asked for.
4. Nothing goes to other readers than the page said: past one percent of difference the press asks again.
5. A preview is made by the renderer that sends.

Slices below are entered by their doors.
"""

from app.publishing.checklist import check
from app.publishing.plans import plan
from app.publishing.preview import mail_preview, site_preview
from app.publishing.publications import CountChanged, Email, Press, Publication, publish

__all__ = [
    "CountChanged",
    "Email",
    "Press",
    "Publication",
    "check",
    "mail_preview",
    "plan",
    "publish",
    "site_preview",
]
