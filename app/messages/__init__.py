"""Messages: the outbox of automatic mail, one mail to one person.

Owns: the catalogue (which mails there are, what each needs), their rendering from
templates/email/, the jobs that hand them over, the pages and the API that show them. A message
is a job whose arguments are the finished mail: it commits with its cause, waits for nothing but
its queue, and leaves as it was written, also on a second try.

Words: a *message* is one transactional mail; its *delivery id* names it for ever; its *key* is
what it was asked for under. A creator reads *automatic email*.

States, from those of its job: *pending* (ready), *in_progress* (leased), *retrying* (ready after a
try), *sent* (done), *dead* (gave up), *held* (for a person, or by a switch), *discarded*.

Promises
- M1 One key, one message, for good: also when its job is pruned.
- M2 Sign-in codes wait for nothing and outlive nothing: a queue of their own, past its time a code
  is not mailed, and while all mail is stopped it is discarded.
- L4 What was handed over without an answer is not sent again on a guess: a provider that can be
  asked is asked; else it is held for a person, unless getting it twice does no harm.
- Each try sends the same bytes under the same Message-ID; what lets someone in is blanked in
  the job once it is over, and its body is shown nowhere.
- The lease of the job is the intent: it is committed before the provider is called, in the
  transaction that reads whether the address is blocked; no transaction is open during the call.

- M3 A mail to an address that nobody confirmed holds no word of whoever typed the address.

Tables: none of its own (job, job_key, attempt; functions retry_message, forget_messages). Jobs:
send_creator_code (queue codes_creators), send_reader_code (codes_readers), send_message (messages).
"""

from app.messages.addressed import MessageTo, messages_to
from app.messages.asking import ask_provider
from app.messages.catalogue import (
    CATALOGUE,
    ConfirmSubscription,
    ReaderCode,
    SignInCode,
    SubscribedAlready,
    TeamInvitation,
    TeamNotice,
    ToReader,
    Welcome,
)
from app.messages.outbox import finish, forget_messages, queue_message
from app.messages.outgoing import held_messages
from app.messages.rehearsals import queue_rehearsal
from app.messages.releasing import probe_refusing
from app.messages.rendering import RenderedMessage, render_message

__all__ = [
    "CATALOGUE",
    "ConfirmSubscription",
    "MessageTo",
    "ReaderCode",
    "RenderedMessage",
    "SignInCode",
    "SubscribedAlready",
    "TeamInvitation",
    "TeamNotice",
    "ToReader",
    "Welcome",
    "ask_provider",
    "finish",
    "forget_messages",
    "held_messages",
    "messages_to",
    "probe_refusing",
    "queue_message",
    "queue_rehearsal",
    "render_message",
]
