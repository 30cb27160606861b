"""What stands in a mailing's way: a provider not reached, refusing us or putting us off; a bad mail.

What is remembered is written before the batch's rows are locked (lock order: mailing → send → tally).
"""

from dataclasses import dataclass
from uuid import UUID

from app.base.database import Tx
from app.ledger.changes import announce
from app.mail import Misconfigured, NotReached, Outcome, Refused, Split, Throttled

#: Calls in a row, or minutes, without reaching the provider, after which a mailing pauses.
MOST_NOT_REACHED = 5
MINUTES_NOT_REACHED = 10
#: Days in which the provider put off every copy it was handed, after which a mailing pauses. Servers that
#: know nobody yet take mail minutes later; who says "not now" for two days will not change by itself.
DAYS_PUT_OFF = 2

# Time in which nobody was called does not count: a switch may have held mail, or no worker run. Who is called
# at all is called at least every hour (a day's limit).
_LOCK = "select state from mailing where account_id = :account and id = :mailing for update"
# A statement of its own after the lock: only then it sees what another try committed meanwhile.
_OPEN = """
select count(*) from batch
where account_id = :account and id = :batch and lease = :lease and state in ('calling', 'unknown')
"""
_REACHED = """
update mailing set not_reached = 0, not_reached_since = null, put_off_since = null, put_off_reason = null
where account_id = :account and id = :mailing and (not_reached > 0 or put_off_since is not null)
"""
_PUT_OFF = """
update mailing set not_reached = 0, not_reached_since = null,
                   put_off_since = case when came_back_at > clock_timestamp() - interval '3 hours'
                       then coalesce(put_off_since, clock_timestamp()) else clock_timestamp() end,
                   came_back_at = clock_timestamp(), put_off_reason = :reason
where account_id = :account and id = :mailing
returning extract(epoch from clock_timestamp() - put_off_since)::double precision as seconds
"""
_NOT_REACHED = """
update mailing set not_reached = not_reached + 1,
                   not_reached_since = case when came_back_at > clock_timestamp() - interval '3 hours'
                       then coalesce(not_reached_since, clock_timestamp()) else clock_timestamp() end,
                   came_back_at = clock_timestamp(), put_off_reason = :reason
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


@dataclass(frozen=True)
class Obstacle:
    """What stands in the way after a call: why the mailing pauses, if so; how long (s) it was put off."""

    pauses_for: str | None = None
    put_off_for: float = 0


def is_counted(outcome: Outcome) -> bool:
    """Whether `remember` must not hear of this outcome of a call twice."""
    return isinstance(outcome, NotReached | Throttled | Split | Misconfigured)


async def is_open(tx: Tx, mailing_id: UUID, batch_id: UUID, lease: int) -> bool:
    """Whether a call of this lease is not settled yet. Locks the mailing, as all that is counted does."""
    await tx.value(_LOCK, account=tx.account_id, mailing=mailing_id)
    return bool(await tx.value(_OPEN, account=tx.account_id, batch=batch_id, lease=lease))


async def remember(tx: Tx, mailing_id: UUID, size: int, outcome: Outcome) -> Obstacle:
    """Write down what the answer to a call of `size` copies says of the mailing.

    A batch refused for one bad mail halves what the following calls take, until the bad one, which is always
    among the first in line, is alone and refused; then, or after a minute without another, calls are whole.
    """
    where: dict[str, object] = {"account": tx.account_id, "mailing": mailing_id}
    match outcome:
        case NotReached(reason=reason):
            most = {"most": MOST_NOT_REACHED, "minutes": MINUTES_NOT_REACHED}
            enough = await tx.value(_NOT_REACHED, reason=reason, **most, **where)
            return Obstacle(f"the mail provider cannot be reached: {reason}" if enough else None)
        case Throttled(reason=reason):
            seconds = await tx.value(_PUT_OFF, reason=reason, **where)
            enough = seconds > DAYS_PUT_OFF * 86_400
            why = f"the mail provider has put off every copy for {DAYS_PUT_OFF} days: {reason}"
            return Obstacle(why if enough else None, put_off_for=seconds)
        case Misconfigured(reason=reason):
            await tx.value(_LOCK, **where)
            return Obstacle(f"the mail provider refuses us: {reason}")
        case Split():
            await tx.execute(_SMALLER, size=size, **where)
        case Refused() if size == 1:
            await tx.execute(_FOUND, **where)
        case _:
            pass
    await tx.execute(_REACHED, **where)
    return Obstacle()


async def pause_for(tx: Tx, mailing_id: UUID, reason: str) -> None:
    """Pause a mailing that has anything left to send, and tell its source that a person is needed."""
    if await tx.execute(_PAUSE, account=tx.account_id, mailing=mailing_id, reason=reason):
        await announce(tx, mailing_id, "needs_person", reason)
