"""Batches that nobody can tell about: they become unknown, and their record is asked, or a person (L4)."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from uuid import UUID

from app.base.database import Tx
from app.base.settings import settings
from app.base.statements import sql
from app.jobs import enqueue, job
from app.ledger.changes import announce
from app.mail import Provider

UNSURE = "nobody can tell whether some copies arrived"
NO_ANSWER = "handed over, and no answer came"
# The same key for all that become unknown until a person has settled some: one mail each time.
_ASKED_BEFORE = """
select count(*) filter (where state = 'resolved') as settled,
       count(*) filter (where state = 'unknown' and look_up_at is null and id <> all (cast(:these as uuid[])))
           as waiting
from batch where account_id = :account and mailing_id = :mailing
"""


@job("look_up_batch", queue="housekeeping", tries=20)
@dataclass(frozen=True)
class LookUpBatch:
    """Ask the provider what became of an unknown batch."""

    batch_id: UUID


def window_of(provider: Provider) -> float:
    """Seconds after `call_until` until the provider's record of a call is whole."""
    return 0.0 if provider.asked_at_once else settings().sending.trust_window


async def lose_overdue(tx: Tx, provider: Provider) -> int:
    """Calls past their time are unknown, whatever became of their job. Answers how many."""
    return await _lose(tx, provider, NO_ANSWER, batch=None, lease=None)


async def lose(tx: Tx, provider: Provider, batch_id: UUID, lease: int, reason: str) -> None:
    """One call is unknown for `reason`, if it is still ours. Its record is asked no earlier for that."""
    await _lose(tx, provider, reason, batch=batch_id, lease=lease)


async def ask_person(tx: Tx, mailing_id: UUID, batches: Iterable[UUID]) -> None:
    """Only a person can tell what became of `batches`: the team hears of it, unless it was asked already."""
    before = await tx.row(_ASKED_BEFORE, account=tx.account_id, mailing=mailing_id, these=list(batches))
    assert before is not None
    if not before.waiting:
        key = f"{mailing_id}:unsure:{before.settled}"
        await announce(tx, mailing_id, "needs_person", UNSURE, key=key)


async def _lose(tx: Tx, provider: Provider, reason: str, *, batch: UUID | None, lease: int | None) -> int:
    lost = await tx.rows(
        sql(__package__, "lose_batches"),
        window=window_of(provider),
        recorded=provider.has_record,
        patience=provider.patience,
        provider=provider.name,
        reason=reason,
        batch=batch,
        lease=lease,
    )
    for (account, mailing), of_mailing in groupby(lost, key=lambda row: (row.account_id, row.mailing_id)):
        await tx.enter_account(account)
        untold: list[UUID] = []
        for one in of_mailing:
            if one.look_up_at is None:
                untold.append(one.id)
            else:
                await enqueue(tx, LookUpBatch(one.id), key=str(one.id), run_at=one.look_up_at)
        if untold:
            await ask_person(tx, mailing, untold)
    return len(lost)
