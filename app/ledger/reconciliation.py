"""What became of batches nobody answered: the sweep marks them unknown, the record settles them (L4)."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from app.base.database import Database
from app.base.settings import settings
from app.base.statements import sql
from app.jobs import Work, enqueue, job
from app.ledger.contents import delivery_id
from app.ledger.delivery import finish, finish_in
from app.mail import Provider, Record, current_provider

LEDGER_LOCK = 7_265_012
_QUESTION = """
select b.mailing_id, b.call_until, array_agg(s.reader_id) filter (where s.reader_id is not null) as readers
from batch b
left join send s on s.account_id = b.account_id and s.batch_id = b.id and s.state = 'unknown'
where b.account_id = :account and b.id = :batch and b.state = 'unknown'
group by b.account_id, b.id
"""


@job("look_up_batch", queue="housekeeping", tries=20)
@dataclass(frozen=True)
class LookUpBatch:
    """Ask the provider what became of an unknown batch."""

    batch_id: UUID


@dataclass(frozen=True)
class Question:
    """A batch to ask about, with the readers whose copies are unknown; `window` is seconds."""

    batch_id: UUID
    mailing_id: UUID
    call_until: datetime
    readers: list[UUID]
    window: float


def _window(provider: Provider) -> float:
    return 0.0 if provider.asked_at_once else settings().sending.trust_window


async def sweep(database: Database) -> set[str]:
    """Beside the queues (E11): overdue batches become unknown, with a look-up; done mailings finish."""
    window = _window(current_provider())
    async with database.transaction() as tx:
        if not await tx.value("select pg_try_advisory_xact_lock(:lock)", lock=LEDGER_LOCK):
            return set()
        lost = await tx.rows(sql(__package__, "lose_batches"), window=window)
        for batch in lost:
            await tx.enter_account(batch.account_id)
            await enqueue(tx, LookUpBatch(batch.id), key=str(batch.id), run_at=batch.look_up_at)
        await finish_in(tx, None)
    return {"housekeeping"} if lost else set()


async def question(work: Work, batch_id: UUID) -> Question | None:
    """What to ask about a batch; None when it is unknown no more."""
    async with work.transaction() as tx:
        row = await tx.row(_QUESTION, account=tx.account_id, batch=batch_id)
    if row is None:
        return None
    window = max(1.0, _window(current_provider()))
    return Question(batch_id, row.mailing_id, row.call_until, row.readers or [], window)


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
