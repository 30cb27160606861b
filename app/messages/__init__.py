"""Messages: the outbox of automatic mail, one mail to one person.

Owns: the catalogue (which mails there are, what each needs), their rendering from
templates/email/, and the jobs that hand them over. A message is a job whose arguments are the
finished mail: it commits with its cause, waits for nothing but its queue, and leaves as it was
written, also on a second try.

Words: a *message* is one transactional mail; its *delivery id* names it for ever.

Promises
- M1 One key, one message.
- M2 Sign-in codes wait for nothing and outlive nothing: a queue of their own, and past its time
  a code is not mailed.
- Each try sends the same bytes under the same Message-ID; what lets someone in is blanked in
  the job once it is over.
- The lease of the job is the intent: it is committed before the provider is called, and no
  transaction is open during the call.

Tables: none of its own (job, attempt). Job: send_creator_code (queue codes_creators).
"""

from app.messages.catalogue import SignInCode
from app.messages.outbox import finish, queue_message
from app.messages.rendering import render_mail

__all__ = ["SignInCode", "finish", "queue_message", "render_mail"]
