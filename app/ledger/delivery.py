"""Handing over one batch: intend (commit), talk (no transaction open), settle (commit)."""

import asyncio
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from app.base import failpoints, ids
from app.base.database import Database, Tx
from app.base.insisting import insist
from app.base.settings import settings
from app.base.statements import sql
from app.jobs import AddressBounced, Work, enqueue
from app.ledger.audit import AuditMailing
from app.ledger.changes import announce
from app.ledger.contents import Blanks, Content, blanks_of, content_of, mail_for
from app.ledger.evidence import apply_evidence
from app.ledger.feeder import DeliverSends
from app.ledger.losing import lose
from app.ledger.obstacles import Obstacle, is_counted, is_open, pause_for, remember
from app.mail import (
    Accepted,
    Misconfigured,
    NotReached,
    Outcome,
    Provider,
    Refused,
    Split,
    Throttled,
    Unknown,
    hand_over,
    remember_refusal,
)

TALLY_SHARDS = 8


@dataclass(frozen=True)
class Batch:
    """One call to make. By this process's loop clock, and never later: `deadline` is `call_until`, and at
    `held_until` the lease ends under which it was claimed."""

    id: UUID
    mailing_id: UUID
    content: Content
    blanks: list[Blanks]
    called_at: datetime
    call_until: datetime
    deadline: float
    held_until: float


@dataclass(frozen=True)
class Settlement:
    """What a provider's answer means for the batch and its rows."""

    batch_state: str
    send_state: str
    reason: str | None
    reference: str | None = None


async def claim(work: Work, permit: DeliverSends, provider: Provider) -> Batch | None:
    """Commit the intention: the next planned copies into a new batch. None: nothing to hand over."""
    batch_id = ids.new()
    # Read before the claim: a process that freezes after it finds its time over, not begun anew.
    began = asyncio.get_running_loop().time()
    async with work.transaction() as tx:
        row = await tx.row(
            sql(__package__, "claim"),
            account=tx.account_id,
            mailing=permit.mailing_id,
            job=work.job.id,
            lease=work.job.lease,
            wanted=min(permit.n, provider.batch_limit),
            batch=batch_id,
            provider=provider.name,
            timeout=settings().sending.timeout,
            shard=work.job.id % TALLY_SHARDS,
        )
        assert row is not None
        if row.batch_id is None:
            return None
        content = await content_of(tx, permit.mailing_id)
    await failpoints.reached(work.database, "after_claim", "ledger", work.job.kind)
    return Batch(
        batch_id,
        permit.mailing_id,
        content,
        blanks_of(row.blanks),
        row.called_at,
        row.call_until,
        began + row.seconds_left,
        began + row.seconds_held,
    )


async def talk(batch: Batch, provider: Provider) -> Outcome:
    """The one call. Past its time it is Unknown: bytes may have left."""
    try:
        mails = [mail_for(batch.content, batch.id, blanks, batch.called_at) for blanks in batch.blanks]
    except Exception as error:  # whatever it was, nothing has left: the one mail that cannot be written fails
        reason = f"this mail cannot be written: {error}"
        return Refused(reason) if len(batch.blanks) == 1 else Split(reason)
    return await hand_over(
        provider,
        mails,
        batch_id=batch.id,
        call_until=batch.call_until,
        deadline=batch.deadline,
        until=batch.deadline + provider.patience,
    )


async def settle(work: Work, batch: Batch, outcome: Outcome, provider: Provider) -> Obstacle:
    """Commit what the provider said, if the batch is still ours to settle; answers what stands in the way.

    Said again while the database is away, for as long as the lease lasts: who forgets an answer leaves copies
    that nobody can tell about (L4). Raises what the last try did.
    """
    met = await insist(lambda: _settle(work, batch, outcome, provider), until=batch.held_until)
    await failpoints.reached(work.database, "after_settle", "ledger", work.job.kind)
    await finish(work.database, work.job.account_id, batch.mailing_id)
    return met


async def _settle(work: Work, batch: Batch, outcome: Outcome, provider: Provider) -> Obstacle:
    await failpoints.reached(work.database, "after_talk", "ledger", work.job.kind)
    if isinstance(outcome, Unknown):
        async with work.transaction() as tx:
            met = await remember(tx, batch.mailing_id, len(batch.blanks), outcome)
            await lose(tx, provider, batch.id, work.job.lease, outcome.reason)
        return met
    await failpoints.reached(work.database, "before_settle", "ledger", work.job.kind)
    async with work.transaction() as tx:
        if is_counted(outcome) and not await is_open(tx, batch.mailing_id, batch.id, work.job.lease):
            return Obstacle()  # it stands already, though nobody was told: what is counted counts once
        met = await remember(tx, batch.mailing_id, len(batch.blanks), outcome)
        await _move(tx, work, batch, outcome)
        if met.pauses_for:
            await pause_for(tx, batch.mailing_id, met.pauses_for)
        if isinstance(outcome, Misconfigured):
            await remember_refusal(tx, outcome.reason)
    return met


async def _move(tx: Tx, work: Work, batch: Batch, outcome: Outcome) -> None:
    """The batch and the copies still in it become what was answered, once, whoever says it again."""
    meaning = settlement(outcome)
    row = await tx.row(
        sql(__package__, "settle"),
        account=tx.account_id,
        batch=batch.id,
        mailing=batch.mailing_id,
        lease=work.job.lease,
        batch_state=meaning.batch_state,
        send_state=meaning.send_state,
        reason=meaning.reason,
        reference=meaning.reference,
        shard=work.job.id % TALLY_SHARDS,
    )
    assert row is not None
    if isinstance(outcome, Accepted) and row.moved < len(batch.blanks):
        # Some are not in this batch any more: they were settled otherwise before this answer came.
        readers = [blanks.reader_id for blanks in batch.blanks]
        await apply_evidence(tx, batch.id, readers, why="the provider's answer came late")
    if isinstance(outcome, Refused) and outcome.bounced and row.ours:
        [only] = batch.blanks
        await enqueue(tx, AddressBounced(only.address, "bounce", outcome.reason[:1000]))


def settlement(outcome: Outcome) -> Settlement:
    """The table of mail/outcome.py, as the books have it (L8: every refusal's reason is on its row)."""
    match outcome:
        case Accepted(reference=reference):
            return Settlement("accepted", "sent", None, reference)
        case Refused(reason=reason) | Misconfigured(reason=reason):
            return Settlement("refused", "failed", reason)
        case Split(reason=reason) | NotReached(reason=reason) | Throttled(reason=reason):
            return Settlement("refused", "planned", reason)
        case Unknown():
            raise ValueError("an unknown is not settled by an answer")


async def finish(database: Database, account_id: int, mailing_id: UUID) -> None:
    """Finish the mailing if nothing is left to do; its audit is enqueued in the same commit."""
    async with database.transaction(account_id) as tx:
        await finish_in(tx, mailing_id)


async def finish_in(tx: Tx, mailing_id: UUID | None) -> None:
    """As `finish`, in a transaction that is open already; None: every mailing of every account."""
    found = await tx.rows(sql(__package__, "all_done"), account=tx.account_id, mailing=mailing_id)
    if not found:
        return
    # By another statement: whoever held a lock that this one waited for may have planned copies.
    locked = {"accounts": [row.account_id for row in found], "mailings": [row.id for row in found]}
    for done in await tx.rows(sql(__package__, "finish"), **locked):
        await tx.enter_account(done.account_id)
        await enqueue(tx, AuditMailing(done.id))
        await announce(tx, done.id, "finished")
