"""What stands in a mailing's way: a provider not reached, one that refuses us, a batch with one bad mail.

What is remembered is written before the batch's rows are locked (lock order: mailing → send → tally).
"""

from uuid import UUID

from app.base.database import Tx
from app.ledger.changes import announce
from app.mail import Misconfigured, NotReached, Outcome, Refused, Split

#: Calls in a row, or minutes, without reaching the provider, after which a mailing pauses.
MOST_NOT_REACHED = 5
MINUTES_NOT_REACHED = 10

_LOCK = "select state from mailing where account_id = :account and id = :mailing for update"
_REACHED = """
update mailing set not_reached = 0, not_reached_since = null
where account_id = :account and id = :mailing and not_reached > 0
"""
_NOT_REACHED = """
update mailing set not_reached = not_reached + 1,
                   not_reached_since = coalesce(not_reached_since, clock_timestamp())
where account_id = :account and id = :mailing
returning not_reached >= :most
       or not_reached_since < clock_timestamp() - make_interval(mins => :minutes) as enough
"""
_SMALLER = """
update mailing set call_size = greatest(1, cast(:size as integer) / 2), split_at = clock_timestamp()
where account_id = :account and id = :mailing
"""
_FOUND = """
update mailing set call_size = null, split_at = null
where account_id = :account and id = :mailing and call_size = 1
"""
_PAUSE = """
update mailing m set state = 'paused', reason = :reason
where account_id = :account and id = :mailing and state in ('building', 'sending')
  and (built_at is null or exists (
      select from send s where s.account_id = m.account_id and s.mailing_id = m.id and s.state = 'planned'))
"""


async def remember(tx: Tx, mailing_id: UUID, size: int, outcome: Outcome) -> str | None:
    """Write down what the answer to a call of `size` copies says of the mailing; why it pauses, if it does.

    A batch refused for one bad mail halves what the following calls take, until the bad one, which is always
    among the first in line, is alone and refused; then, or after a minute without another, calls are whole.
    """
    where: dict[str, object] = {"account": tx.account_id, "mailing": mailing_id}
    match outcome:
        case NotReached(reason=reason):
            most = {"most": MOST_NOT_REACHED, "minutes": MINUTES_NOT_REACHED}
            enough = await tx.value(_NOT_REACHED, **most, **where)
            return f"the mail provider cannot be reached: {reason}" if enough else None
        case Misconfigured(reason=reason):
            await tx.value(_LOCK, **where)
            return f"the mail provider refuses us: {reason}"
        case Split():
            await tx.execute(_SMALLER, size=size, **where)
        case Refused() if size == 1:
            await tx.execute(_FOUND, **where)
        case _:
            pass
    await tx.execute(_REACHED, **where)
    return None


async def pause_for(tx: Tx, mailing_id: UUID, reason: str) -> None:
    """Pause a mailing that has anything left to send, and tell its source that a person is needed."""
    if await tx.execute(_PAUSE, account=tx.account_id, mailing=mailing_id, reason=reason):
        await announce(tx, mailing_id, "needs_person", reason)
