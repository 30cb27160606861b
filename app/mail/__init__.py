"""Mail: how one message leaves the house.

Owns the words *mail* (finished: rendered, addressed, one reader's), *provider* (who takes it), *outcome*
(what a call to it came to) and *record* (what it says afterwards). Knows nothing of readers, mailings or
jobs: ledger and messages hand over what they have committed to hand over, and settle what comes back.

Promises
1. `to_bytes` of one Mail and one date is always the same bytes (L6). List-Unsubscribe and its like are one
   literal line, however long; no header value can begin another header; the only address in From and To is
   the one given, whatever the display name holds; no mark of a field leaves unfilled.
2. A provider answers with one of seven outcomes (table in `outcome`); what the outside does is never an
   exception. `Unknown` is the answer to everything that is not surely something else (L4): `hand_over`, by
   which all calls are made, makes it of an exception that escapes a provider all the same.
3. A call begun by a provider has no effect after its `call_until` by the database's clock; so a record read
   later, or after the trust window of one that is slow, is the truth (L1).
4. Providers are imported in `directory` alone. Production refuses the mailbox.
5. What SMTP lost before its final dot is NotReached, what it lost after it Unknown; the dot is written before
   the call's deadline or never, and TLS that was asked for is not done without.
6. While a provider refuses us (`refusals`) nobody hands it anything but codes; it is asked by a probe without
   mail, and goes on by itself once it lets us in.

Providers
- `mailbox`: development and testing. Its network is the schema `mailbox` (migrations/mailbox.sql), reached by
  connections of its own; it keeps doubles, can be asked at once, and has faults to order (FAULT_KINDS).
- `smtp`: one mail a call, over kept connections (`smtp_connection`); its codes are read in `smtp_replies`
  alone. It has no record: an unknown waits for a person.
- mailgun, resend: later, one file each, which alone classifies that provider's answers.

Pages (outside production): `/mailbox`, what was handed over, newest first; `queries` reads it.

Tables, of no account: `provider_refusal`; outside production `mailbox.mail`, `.fault`, `.begun_anew`.
Jobs: none; the workers' timer calls `probe_refusing`.
"""

from app.mail.directory import current_provider
from app.mail.faults import FAULT_KINDS
from app.mail.handing import hand_over
from app.mail.message import KINDS, Mail, MailKind, UnmailableAddress, mailbox_header, split_sender, to_bytes
from app.mail.outcome import (
    Accepted,
    Misconfigured,
    NotReached,
    Outcome,
    Record,
    Refused,
    Split,
    Throttled,
    Unknown,
)
from app.mail.provider import Provider
from app.mail.queries import MailFilter, MailView, forget_mails, mails
from app.mail.refusals import (
    FIRST_PROBE,
    Refusal,
    probe_refusing,
    probe_soon,
    remember_refusal,
    standing_refusal,
)

__all__ = [
    "FAULT_KINDS",
    "FIRST_PROBE",
    "KINDS",
    "Accepted",
    "Mail",
    "MailFilter",
    "MailKind",
    "MailView",
    "Misconfigured",
    "NotReached",
    "Outcome",
    "Provider",
    "Record",
    "Refusal",
    "Refused",
    "Split",
    "Throttled",
    "Unknown",
    "UnmailableAddress",
    "current_provider",
    "forget_mails",
    "hand_over",
    "mailbox_header",
    "mails",
    "probe_refusing",
    "probe_soon",
    "remember_refusal",
    "split_sender",
    "standing_refusal",
    "to_bytes",
]
