"""The audit of a finished mailing: the figures against the rows, the rows against the provider's record."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from app.base.database import Tx
from app.jobs import Work, job
from app.ledger.contents import delivery_id
from app.ledger.evidence import apply_evidence, possible_doubles
from app.mail import Provider

_TALLIED = """
select state, sum(n)::bigint as n from tally where account_id = :account and mailing_id = :mailing
group by state
"""
_COUNTED = """
select state, count(*) as n from send where account_id = :account and mailing_id = :mailing group by state
"""
_SENT = """
select s.batch_id, s.reader_id, b.call_until from send s
join batch b on b.account_id = s.account_id and b.id = s.batch_id
where s.account_id = :account and s.mailing_id = :mailing and s.state = 'sent' and s.reader_id > :after
  and b.provider = :provider
order by s.reader_id limit :most
"""
_STORE = """
update mailing set audit = :audit, audited_at = godwit_now()
where account_id = :account and id = :mailing and state = 'finished'
"""
# Copies that a person had sent again while they were unknown.
_SENT_AGAIN = """
select b.id, b.call_until,
       array(select jsonb_array_elements_text(b.evidence -> 'sent_again')::uuid) as readers
from batch b
where b.account_id = :account and b.mailing_id = :mailing and b.evidence ? 'sent_again'
  and b.provider = :provider
order by b.id
"""
_DOUBLED = "select count(*) from possible_double where account_id = :account and mailing_id = :mailing"
PAGE = 5_000
#: How many readers an audit names.
NAMED = 20


@job("audit_mailing", queue="housekeeping", tries=10)
@dataclass(frozen=True)
class AuditMailing:
    """Prove that a finished mailing's books balance."""

    mailing_id: UUID


async def audit(work: Work, mailing_id: UUID, provider: Provider) -> bool:
    """Compare, and keep the result with the mailing: `balanced`, and what differs.

    False: the provider's record lacks some and may still be incomplete; nothing was kept, ask again later.
    """
    async with work.transaction() as tx:
        tallied = await _figures(tx, _TALLIED, mailing_id)
        counted = await _figures(tx, _COUNTED, mailing_id)
    lacking: list[UUID] = []
    if provider.has_record:
        asked = await _lacking(work, mailing_id, provider)
        if asked is None or not await _found_again(work, mailing_id, provider):
            return False
        lacking = asked
    async with work.transaction() as tx:
        doubles = await possible_doubles(tx, mailing_id, most=NAMED)
        doubled = await tx.value(_DOUBLED, account=tx.account_id, mailing=mailing_id)
    settled = sum(counted.get(state, 0) for state in ("sent", "failed", "skipped"))
    found: dict[str, Any] = {
        "figures": counted,
        "figures_agree": tallied == counted,
        "all_settled": settled == sum(counted.values()),
        "provider": provider.name,
        "provider_lacks": len(lacking) if provider.has_record else None,
        "readers_lacking": [str(reader) for reader in lacking[:NAMED]],
        "possible_doubles": doubled,
        "readers_doubled": [str(double.reader_id) for double in doubles],
    }
    found["balanced"] = found["figures_agree"] and found["all_settled"] and not lacking
    async with work.transaction() as tx:
        await tx.execute(_STORE, account=tx.account_id, mailing=mailing_id, audit=found)
    return True


async def _figures(tx: Tx, statement: str, mailing_id: UUID) -> dict[str, int]:
    rows = await tx.rows(statement, account=tx.account_id, mailing=mailing_id)
    return {row.state: row.n for row in rows if row.n}


async def _lacking(work: Work, mailing_id: UUID, provider: Provider) -> list[UUID] | None:
    """The readers we hold as sent whom the provider's record lacks; None while that may still change."""
    lacking: list[UUID] = []
    after = UUID(int=0)
    while True:
        async with work.step() as tx:
            rows = await tx.rows(
                _SENT,
                account=tx.account_id,
                mailing=mailing_id,
                after=after,
                most=PAGE,
                provider=provider.name,
            )
        if not rows:
            return lacking
        batches: dict[UUID, list[UUID]] = defaultdict(list)
        for row in rows:
            batches[row.batch_id].append(row.reader_id)
        until = {row.batch_id: row.call_until for row in rows}
        for batch_id, readers in batches.items():
            ids = {delivery_id(batch_id, reader): reader for reader in readers}
            record = await provider.look_up(batch_id, list(ids), call_until=until[batch_id])
            absent = [reader for delivery, reader in ids.items() if delivery not in record.sent]
            if absent and not record.whole:
                return None
            lacking += absent
        after = rows[-1].reader_id


async def _found_again(work: Work, mailing_id: UUID, provider: Provider) -> bool:
    """Ask about copies that a person had sent again: those the record has in the first batch too are doubles.

    False while the record may still be incomplete.
    """
    async with work.transaction() as tx:
        rows = await tx.rows(_SENT_AGAIN, account=tx.account_id, mailing=mailing_id, provider=provider.name)
    for row in rows:
        ids = {delivery_id(row.id, reader): reader for reader in row.readers}
        record = await provider.look_up(row.id, list(ids), call_until=row.call_until)
        found = [reader for delivery, reader in ids.items() if delivery in record.sent]
        async with work.step() as tx:
            await apply_evidence(tx, row.id, found, why="the provider's record has the first copy too")
        if len(found) < len(ids) and not record.whole:
            return False
    return True
