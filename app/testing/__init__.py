"""Testing mode: what a tester may ask of and do to a running Godwit (GODWIT_MODE=testing only).

Accounts made at once and emptied, a mailbox to read and wait on, receivers of webhooks, a clock to move,
work to wait for, faults to order. JSON, at /testing on the studio's host; no sign-in from this machine,
elsewhere GODWIT_TESTING_TOKEN as a bearer.

Words: to *drain* is to wait until nothing is due or in hand; a *fault* is something ordered to go
wrong, at matching calls, so many times; a *failpoint* is a moment of a worker's at which one may
strike; a *seed* is a number that stands for an account, its names and its ids.

Promises
1. Outside testing mode none of this is mounted, no clock is moved and no failpoint armed.
2. What is asked for and not built is told by name (404, 422), never passed over in silence.
3. A wait answers at the first match, or says after its time that there was none.
4. What the mailbox shows is what was handed over, doubles included.
5. The same seed is the same account, in names and ids, whatever was in it before.
6. After a reset an account holds nothing but its team, keys and first newsletter, and no mail of a
   call begun before it comes any more; other accounts are untouched.
7. A moved clock is seen by every statement at once and by dates that Python writes within a second;
   leases and deadlines keep the real time.
8. A receiver keeps every request as it came, doubles included, before it says a word; it answers in the
   order that was ordered, and listens at the same address after its process began again.

Owns no table: mailbox.mail, .fault, .receiver, .request, .begun_anew and the functions beside them
(migrations/mailbox.sql) exist outside production only; the clock is base's. Jobs: none.
"""

from app.testing.names import FIRST_NAMES, LAST_NAMES
from app.testing.receivers import Receivers

__all__ = ["FIRST_NAMES", "LAST_NAMES", "Receivers"]
