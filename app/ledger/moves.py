"""What a person does to a mailing: pause, resume, cancel, try again, mail the missing, decide on the unsure.

Each act locks the mailing's row, looks at its state, and changes it or raises Conflict naming the state: two
people who press at once cannot both be right. A claim in hand holds a share of that row, so what is claimed
after an act's commit respects it (L5).
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import Select

from app.base.database import Tx
from app.base.errors import Conflict, NotFound
from app.base.statements import sql
from app.jobs import enqueue
from app.ledger.build import add_readers
from app.ledger.skipping import SkipCancelled

_LOCK = """
select case when state = 'building' and build_began_at is null and starts_at > godwit_now() then 'scheduled'
            else state end as state, built_at, starts_at
from mailing where account_id = :account and id = :mailing for update
"""
_PAUSE = """
update mailing set state = 'paused', reason = :reason
where account_id = :account and id = :mailing and state in ('building', 'sending')
"""
_RESUME = """
update mailing set state = case when built_at is null then 'building' else 'sending' end, reason = null,
                   not_reached = 0, not_reached_since = null, put_off_since = null, put_off_reason = null,
                   going_since = godwit_now()
where account_id = :account and id = :mailing and state = 'paused'
returning state
"""
# A statement of its own after the lock: only then it sees the batch of a claim that was just committed.
_CANCEL = """
update mailing m set state = 'cancelled', reason = :reason, finished_at = godwit_now(),
    cancelled_unsent = not exists (
        select from batch b where b.account_id = m.account_id and b.mailing_id = m.id)
where account_id = :account and id = :mailing and state in ('building', 'sending', 'paused')
returning cancelled_unsent
"""
_REOPEN = """
update mailing set state = 'sending', finished_at = null, audited_at = null, audit = null,
                   going_since = godwit_now()
where account_id = :account and id = :mailing and state = 'finished'
"""
_UNSURE_BATCHES = """
select id from batch where account_id = :account and mailing_id = :mailing and state = 'unknown'
order by id for update
"""
_NOTE_SENT_AGAIN = """
update batch b set
    evidence = jsonb_set(coalesce(b.evidence, '{}'), '{sent_again}',
        coalesce(b.evidence -> 'sent_again', '[]') || (
            select jsonb_agg(r.id)
            from unnest(cast(:readers as uuid[]), cast(:batches as uuid[])) as r (id, batch)
            where r.batch = b.id))
where b.account_id = :account and b.id = any (cast(:batches as uuid[]))
"""
_RESOLVED = """
update batch b set state = 'resolved', blanks = null, look_up_at = null, reason = :reason
where b.account_id = :account and b.mailing_id = :mailing and b.state = 'unknown'
  and not exists (select from send s where s.account_id = b.account_id and s.batch_id = b.id
                  and s.state = 'unknown')
"""
_RISKED = """
insert into possible_double (account_id, mailing_id, reader_id, batch_id, why)
select :account, :mailing, r.reader, r.batch, :why
from unnest(cast(:readers as uuid[]), cast(:batches as uuid[])) as r (reader, batch)
on conflict do nothing
"""


@dataclass(frozen=True)
class Resumed:
    """What goes on: `building` needs its build job again, at `starts_at` if that is still to come."""

    state: str
    starts_at: datetime


async def pause(tx: Tx, mailing_id: UUID, by: str) -> None:
    """Nothing more is claimed from this commit on. Raises Conflict unless it is building or sending."""
    row = await _locked(tx, mailing_id)
    if not await tx.execute(_PAUSE, account=tx.account_id, mailing=mailing_id, reason=f"{by} paused it"):
        raise _unfit(row.state, "paused", "only one that has not started, is building or sending can be")


async def resume(tx: Tx, mailing_id: UUID) -> Resumed:
    """It goes on where it stopped. Raises Conflict unless it is paused."""
    row = await _locked(tx, mailing_id)
    state = await tx.value(_RESUME, account=tx.account_id, mailing=mailing_id)
    if state is None:
        raise _unfit(row.state, "resumed", "only a paused one can be")
    return Resumed(state, row.starts_at)


async def cancel(tx: Tx, mailing_id: UUID, by: str) -> bool:
    """Claims stop at once, and a job skips what is planned. True: nothing had been handed over to anybody.

    Raises Conflict when it is over.
    """
    row = await _locked(tx, mailing_id)
    unsent = await tx.value(_CANCEL, account=tx.account_id, mailing=mailing_id, reason=f"{by} cancelled it")
    if unsent is None:
        raise _unfit(row.state, "cancelled", "it is over")
    await enqueue(tx, SkipCancelled(mailing_id))
    return bool(unsent)


async def retry_failed(tx: Tx, mailing_id: UUID) -> int:
    """Plan the failed copies again; answers how many. Raises Conflict when cancelled or when none failed."""
    row = await _locked(tx, mailing_id)
    if row.state == "cancelled":
        raise _unfit(row.state, "tried again", "what a person stopped stays stopped")
    moved = await tx.value(sql(__package__, "retry_failed"), account=tx.account_id, mailing=mailing_id)
    if not moved:
        raise Conflict(f"This email is {row.state}, and no copy of it has failed: there is nothing to retry.")
    await tx.execute(_REOPEN, account=tx.account_id, mailing=mailing_id)
    return int(moved)


async def send_to_missing(tx: Tx, mailing_id: UUID, audience: Select[Any]) -> int:
    """Plan copies for those of `audience` (columns reader_id, variant) without one; answers how many.

    Who was skipped has none, and gets one if they may be mailed by now; every other state, unknown too, is
    left alone. Raises Conflict while the audience is not whole yet, and when cancelled.
    """
    row = await _locked(tx, mailing_id)
    if row.state == "cancelled":
        raise _unfit(row.state, "sent to more readers", "what a person stopped stays stopped")
    if row.built_at is None:
        raise _unfit(row.state, "sent to more readers", "its audience has not been read whole yet")
    added = await add_readers(tx, mailing_id, audience)
    if added:
        await tx.execute(_REOPEN, account=tx.account_id, mailing=mailing_id)
    return added


async def decide(
    tx: Tx,
    mailing_id: UUID,
    become: Literal["sent", "planned"],
    readers: list[UUID] | None,
    *,
    by: str,
    recorded: bool,
) -> int:
    """A person settles unknown copies (None: all of them); answers how many.

    `recorded`: the provider keeps a record, so the audit will find a double; without one every copy that is
    sent again is listed as a possible double at once (L1). Planned copies of a cancelled mailing are skipped.
    Raises Conflict, and nothing is changed, when there is none, or when one named is not unsure (any more).
    """
    row = await _locked(tx, mailing_id)
    # Batch before send, as the look-up has it.
    await tx.rows(_UNSURE_BATCHES, account=tx.account_id, mailing=mailing_id)
    moved = await tx.rows(
        sql(__package__, "decide"),
        account=tx.account_id,
        mailing=mailing_id,
        become=become,
        readers=readers,
    )
    if readers is not None and len(moved) != len(set(readers)):
        raise Conflict(
            f"This email is {row.state}, and of the {len(set(readers))} readers named {len(moved)} are unsure"
            " in it. Nothing was changed; name those that are."
        )
    if not moved:
        raise Conflict(f"This email is {row.state}, and no copy of it is unsure: there is nothing to settle.")
    again = [one for one in moved if one.becomes == "planned"]
    who = {"readers": [one.reader_id for one in again], "batches": [one.batch_id for one in again]}
    await tx.execute(_NOTE_SENT_AGAIN, account=tx.account_id, **who)
    words = f"{by} said: {'it arrived' if become == 'sent' else 'it did not arrive'}"
    await tx.execute(_RESOLVED, account=tx.account_id, mailing=mailing_id, reason=words)
    if again and not recorded:
        why = f"{by} had it sent again while nobody knew whether it had arrived"
        await tx.execute(_RISKED, account=tx.account_id, mailing=mailing_id, why=why, **who)
    return len(moved)


async def _locked(tx: Tx, mailing_id: UUID) -> Any:
    row = await tx.row(_LOCK, account=tx.account_id, mailing=mailing_id)
    if row is None:
        raise NotFound("There is no such email in this publication.")
    return row


def _unfit(state: str, act: str, why: str) -> Conflict:
    return Conflict(f"This email is {state} and cannot be {act}: {why}.")
