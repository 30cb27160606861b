"""Fakes: small real servers that stand in for the outside world, in tests and for `godwit fakes`.

They speak the real protocol on loopback, so nothing of Godwit knows that they are not the real thing, and
they go wrong exactly as they are told.

Words: a *fault* is something ordered to go wrong at one step of the protocol, at so many calls; what was
*kept* is what a reader would have got, whatever the sender was told.

Promises
1. Everything that a fake took is kept as it came, doubles included, also when it hung up without a word.
2. A fault fires at its step and for its recipient, after so many and so many times, and nowhere else.
3. They listen on this machine only.

- `smtp`: an SMTP server: any step dropped, refused, slow or stalled; STARTTLS, TLS, log-in; hangs up every N
  mails.
- `receiver`: an HTTP server that webhooks call: answers in order, late, by half, or not at all; `signatures`
  is what a receiver checks.
- Mailgun, Resend, payments: later.

Owns no table. Jobs: none. Knows nothing of the rest of Godwit.
"""

from app.fakes.certificates import SelfMade, self_made
from app.fakes.faults import STEPS, Fault, fault_of
from app.fakes.receiver import Call, FakeReceiver, Reply, Script
from app.fakes.signatures import key_of, why_unverified
from app.fakes.smtp import FakeSmtp, KeptMail

__all__ = [
    "STEPS",
    "Call",
    "FakeReceiver",
    "FakeSmtp",
    "Fault",
    "KeptMail",
    "Reply",
    "Script",
    "SelfMade",
    "fault_of",
    "key_of",
    "self_made",
    "why_unverified",
]
