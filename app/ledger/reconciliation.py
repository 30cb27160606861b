"""What became of batches nobody answered: the sweep marks them unknown, the record settles them (L4)."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from app.base.database import Database
from app.base.statements import sql
from app.jobs import Work, enqueue
from app.ledger.contents import delivery_id
from app.ledger.delivery import finish, finish_in
from app.ledger.losing import LookUpBatch, ask_person, lose_overdue, window_of
from app.ledger.skipping import SkipCancelled
from app.mail import Provider, Record, current_provider

LEDGER_LOCK = 7_265_012
# A call that reached nobody may come back after the cancelled mailing's job has ended.
_STILL_PLANNED = """
select m.account_id, m.id from mailing m
where m.state = 'cancelled' and m.finished_at > godwit_now() - interval '2 days'
  and exists (select from send s
              where s.account_id = m.account_id and s.mailing_id = m.id and s.state = 'planned')
  and not exists (select from job j where j.kind = 'skip_cancelled' and j.state in ('ready', 'leased')
                  and j.account_id = m.account_id and j.args ->> 'mailing_id' = m.id::text)
limit 100
"""
# The safety net: a look-up whose job is gone (discarded by hand, say) is ordered again.
_OVERDUE = """
update batch b set look_up_at = clock_timestamp()
where b.state = 'unknown' and b.look_up_at < clock_timestamp() - interval '5 minutes'
  and not exists (select from job j where j.kind = 'look_up_batch' and j.state in ('ready', 'leased')
                  and j.account_id = b.account_id and j.args ->> 'batch_id' = b.id::text)
returning b.account_id, b.id
"""
_LATER = """
update batch set look_up_at = clock_timestamp() + make_interval(secs => :window)
where account_id = :account and id = :batch and state = 'unknown'
"""
_NEVER = """
update batch set look_up_at = null where account_id = :account and id = :batch and state = 'unknown'
"""
_QUESTION = """
select b.mailing_id, b.provider, b.call_until,
       array_agg(s.reader_id) filter (where s.reader_id is not null) as readers
from batch b
left join send s on s.account_id = b.account_id and s.batch_id = b.id and s.state = 'unknown'
where b.account_id = :account and b.id = :batch and b.state = 'unknown'
group by b.account_id, b.id
"""


@dataclass(frozen=True)
class Question:
    """A batch to ask about, with the readers whose copies are unknown; `window` is seconds."""

    batch_id: UUID
    mailing_id: UUID
    provider: str
    call_until: datetime
    readers: list[UUID]
    window: float


async def sweep(database: Database) -> set[str]:
    """Beside the queues (E11): overdue batches become unknown, with a look-up; done mailings finish."""
    provider = current_provider()
    async with database.transaction() as tx:
        if not await tx.value("select pg_try_advisory_xact_lock(:lock)", lock=LEDGER_LOCK):
            return set()
        asked = await lose_overdue(tx, provider)
        for batch in await tx.rows(_OVERDUE):
            await tx.enter_account(batch.account_id)
            await enqueue(tx, LookUpBatch(batch.id))
            asked += 1
        for mailing in await tx.rows(_STILL_PLANNED):
            await tx.enter_account(mailing.account_id)
            await enqueue(tx, SkipCancelled(mailing.id))
            asked += 1
        await finish_in(tx, None)
    return {"housekeeping"} if asked else set()


async def question(work: Work, batch_id: UUID) -> Question | None:
    """What to ask about a batch; None when it is unknown no more."""
    async with work.transaction() as tx:
        row = await tx.row(_QUESTION, account=tx.account_id, batch=batch_id)
    if row is None:
        return None
    window = max(1.0, window_of(current_provider()))
    return Question(batch_id, row.mailing_id, row.provider, row.call_until, row.readers or [], window)


def can_be_asked(about: Question, provider: Provider) -> bool:
    """Whether this provider has the record: it keeps one, and it is the one that was called."""
    return provider.has_record and provider.name == about.provider


async def ask_again_later(work: Work, about: Question) -> None:
    """The page says when we ask next."""
    async with work.transaction() as tx:
        await tx.execute(_LATER, account=tx.account_id, batch=about.batch_id, window=about.window)


async def leave_to_person(work: Work, about: Question) -> None:
    """No record will tell: the copies stay unknown until a person settles them, and the team is told."""
    async with work.transaction() as tx:
        await tx.execute(_NEVER, account=tx.account_id, batch=about.batch_id)
        await ask_person(tx, about.mailing_id, [about.batch_id])


async def ask(about: Question, provider: Provider) -> Record:
    """Read the provider's record (no transaction is open)."""
    wanted = [delivery_id(about.batch_id, reader) for reader in about.readers]
    return await provider.look_up(about.batch_id, wanted, call_until=about.call_until)


async def resolve(work: Work, about: Question, record: Record) -> None:
    """Settle the unknown copies by a whole record, and finish the mailing if that was the last of it."""
    found = [reader for reader in about.readers if delivery_id(about.batch_id, reader) in record.sent]
    async with work.transaction() as tx:
        await tx.row(
            sql(__package__, "resolve"),
            account=tx.account_id,
            batch=about.batch_id,
            mailing=about.mailing_id,
            found=found,
            reason=f"the provider's record has {len(found)} of {len(about.readers)}",
        )
    await finish(work.database, work.job.account_id, about.mailing_id)
