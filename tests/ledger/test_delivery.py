"""Claim, talk, settle: L1, L3, L4, L5, L7, L8."""

import asyncio
from uuid import UUID

import pytest
from msgspec.structs import replace

from app.base.database import Database
from app.jobs import Work
from app.ledger import delivery
from app.ledger.contents import mail_for
from app.ledger.feeder import DeliverSends
from app.ledger.forgetting import forget_reader
from app.ledger.reconciliation import ask, question, resolve, sweep
from app.mail import Accepted, Refused, Throttled, Unknown, to_bytes
from tests.ledger.makers import Told, audience_of, build, figures_of, mailing_to, permit
from tests.waiting import until

pytestmark = pytest.mark.anyio
_ANY = "select id, email from reader where account_id = :account order by id limit 1"


async def started(web: Database, worker: Database, n: int):
    audience = await audience_of(web, n)
    mailing = await mailing_to(web, audience)
    await build(worker, audience, mailing)
    return audience, mailing


async def test_a_claim_commits_the_batch_before_anything_is_handed_over(web, worker):
    """L3: the batch names every copy before the provider hears of it."""
    audience, mailing = await started(web, worker, 5)
    work = await permit(worker, audience, DeliverSends(mailing, 3))
    batch = await delivery.claim(work, DeliverSends(mailing, 3), Told())
    assert batch is not None
    async with worker.transaction(audience.account_id) as tx:
        states = await tx.rows("select state, batch_id from send where batch_id is not null")
        assert [(row.state, row.batch_id) for row in states] == [("sending", batch.id)] * 3


async def test_a_claim_without_the_lease_claims_nothing(web, worker):
    """L3, E4: who lost the permit's lease hands nobody over."""
    audience, mailing = await started(web, worker, 3)
    work = await permit(worker, audience, DeliverSends(mailing, 3))
    async with worker.transaction() as tx:
        await tx.execute(
            "update job set state = 'ready', leased_by = null, leased_at = null, leased_until = null"
        )
    assert await delivery.claim(work, DeliverSends(mailing, 3), Told()) is None
    assert (await figures_of(worker, audience, mailing)).planned == 3


async def test_who_unsubscribes_between_build_and_claim_is_skipped_with_the_reason(web, worker):
    """L5, L8."""
    audience, mailing = await started(web, worker, 3)
    async with web.transaction(audience.account_id) as tx:
        reader = await tx.row(_ANY, account=audience.account_id)
        assert reader is not None
        await tx.execute("update subscription set state = 'unsubscribed' where reader_id = :id", id=reader.id)
    work = await permit(worker, audience, DeliverSends(mailing, 10))
    batch = await delivery.claim(work, DeliverSends(mailing, 10), Told())
    assert batch is not None
    assert reader.email not in {blanks.address for blanks in batch.blanks}
    async with worker.transaction(audience.account_id) as tx:
        row = await tx.row("select state, reason from send where reader_id = :id", id=reader.id)
    assert row is not None
    assert (row.state, row.reason) == ("skipped", "unsubscribed")
    figures = await figures_of(worker, audience, mailing)
    assert (figures.sending, figures.skipped, figures.audience) == (2, 1, 3)


async def test_a_suppressed_address_is_skipped_with_the_reason(web, worker):
    """L5, L8."""
    audience, mailing = await started(web, worker, 1)
    async with web.transaction(audience.account_id) as tx:
        reader = await tx.row(_ANY, account=audience.account_id)
        assert reader is not None
        await tx.execute(
            "insert into suppression (account_id, address, reason) values (:account, :address, 'bounce')",
            account=audience.account_id,
            address=reader.email,
        )
    work = await permit(worker, audience, DeliverSends(mailing, 10))
    assert await delivery.claim(work, DeliverSends(mailing, 10), Told()) is None
    async with worker.transaction(audience.account_id) as tx:
        assert await tx.value("select reason from send") == "blocked address: bounce"


@pytest.mark.parametrize("state", ["paused", "cancelled"])
async def test_a_claim_begun_after_a_pause_or_cancel_takes_nobody(web, worker, state):
    """L5."""
    audience, mailing = await started(web, worker, 2)
    over = "finished_at = now()," if state == "cancelled" else ""
    async with web.transaction(audience.account_id) as tx:
        await tx.execute(f"update mailing set {over} state = '{state}', reason = 'by hand'")
    work = await permit(worker, audience, DeliverSends(mailing, 2))
    assert await delivery.claim(work, DeliverSends(mailing, 2), Told()) is None


async def test_two_claims_never_share_a_reader(web, worker):
    """L1: rows locked by one claim are passed over by the other."""
    audience, mailing = await started(web, worker, 40)
    first = await permit(worker, audience, DeliverSends(mailing, 25))
    second = await permit(worker, audience, DeliverSends(mailing, 25))
    batches = await asyncio.gather(
        delivery.claim(first, DeliverSends(mailing, 25), Told()),
        delivery.claim(second, DeliverSends(mailing, 25), Told()),
    )
    readers = [blanks.reader_id for batch in batches if batch for blanks in batch.blanks]
    assert len(readers) == len(set(readers)) >= 25


@pytest.mark.parametrize(
    ("outcome", "state", "reason"),
    [(Refused("no such user"), "failed", "no such user"), (Throttled("slow down"), "planned", "slow down")],
)
async def test_a_definite_no_settles_every_row_with_its_reason(web, worker, outcome, state, reason):
    """L7, L8; a throttle is no failure."""
    audience, mailing = await started(web, worker, 4)
    work = await permit(worker, audience, DeliverSends(mailing, 4))
    batch = await delivery.claim(work, DeliverSends(mailing, 4), Told())
    assert batch is not None
    await delivery.settle(work, batch, outcome, Told())
    async with worker.transaction(audience.account_id) as tx:
        rows = await tx.rows("select state, reason from send")
    assert {(row.state, row.reason) for row in rows} == {(state, reason)}
    assert getattr(await figures_of(worker, audience, mailing), state) == 4


async def _lost(worker: Database, audience, batch_id: UUID) -> None:
    async with worker.transaction(audience.account_id) as tx:
        await tx.execute("update batch set call_until = clock_timestamp() - interval '1 second'")
    await sweep(worker)


@pytest.mark.parametrize("kept", [True, False])
async def test_an_unknown_batch_is_settled_by_the_providers_record_alone(web, worker, kept):
    """L4: found in the record means sent; absent from a whole record means planned again."""
    audience, mailing = await started(web, worker, 3)
    provider = Told(answer=lambda mails: Unknown("cut"), keep=lambda mails: kept)
    work = await permit(worker, audience, DeliverSends(mailing, 3))
    batch = await delivery.claim(work, DeliverSends(mailing, 3), provider)
    assert batch is not None
    outcome = await delivery.talk(batch, provider)
    await delivery.settle(work, batch, outcome, provider)
    assert (await figures_of(worker, audience, mailing)).unknown == 3
    about = await question(work, batch.id)
    assert about is not None
    await resolve(work, about, await ask(about, provider))
    figures = await figures_of(worker, audience, mailing)
    assert (figures.sent, figures.planned) == ((3, 0) if kept else (0, 3))


async def test_an_answer_after_the_sweep_is_evidence_not_a_second_settlement(web, worker):
    """L4, L7: late but definite: the unknown rows of this very batch become what was answered."""
    audience, mailing = await started(web, worker, 3)
    work = await permit(worker, audience, DeliverSends(mailing, 3))
    batch = await delivery.claim(work, DeliverSends(mailing, 3), Told())
    assert batch is not None
    await _lost(worker, audience, batch.id)
    await delivery.settle(work, batch, Accepted(), Told())
    figures = await figures_of(worker, audience, mailing)
    assert (figures.sent, figures.unknown, figures.audience) == (3, 0, 3)
    await delivery.settle(work, batch, Refused("again"), Told())
    assert (await figures_of(worker, audience, mailing)).sent == 3


async def test_an_answer_under_another_lease_settles_nothing(web, worker):
    """E4, L4: the batch is settled by whoever claimed it."""
    audience, mailing = await started(web, worker, 2)
    work = await permit(worker, audience, DeliverSends(mailing, 2))
    batch = await delivery.claim(work, DeliverSends(mailing, 2), Told())
    assert batch is not None
    stranger = Work(worker, replace(work.job, lease=work.job.lease + 1), lambda: False)
    await delivery.settle(stranger, batch, Refused("no"), Told())
    assert (await figures_of(worker, audience, mailing)).sending == 2


async def test_a_call_within_its_time_is_not_given_up(web, worker):
    """L4: until call_until the call may still have an effect, so nothing is asked about it."""
    audience, mailing = await started(web, worker, 2)
    work = await permit(worker, audience, DeliverSends(mailing, 2))
    assert await delivery.claim(work, DeliverSends(mailing, 2), Told()) is not None
    await sweep(worker)
    assert (await figures_of(worker, audience, mailing)).sending == 2


async def test_the_same_claim_gives_the_same_bytes_whenever_it_is_rendered(web, worker):
    """L6: content, blanks and date are frozen with the batch."""
    audience, mailing = await started(web, worker, 1)
    work = await permit(worker, audience, DeliverSends(mailing, 1))
    batch = await delivery.claim(work, DeliverSends(mailing, 1), Told())
    assert batch is not None
    mails = [mail_for(batch.content, batch.id, batch.blanks[0], batch.called_at) for _ in range(2)]
    assert mails[0].date == batch.called_at
    assert to_bytes(mails[0], batch.called_at) == to_bytes(mails[1], batch.called_at)


async def test_an_address_that_is_being_claimed_is_forgotten_too(web, worker, owner):
    """R4: the erasure waits for a claim that is about to write the address."""
    audience, _ = await started(web, worker, 1)
    async with web.transaction(audience.account_id) as tx:
        reader = await tx.value("select reader_id from send")

    async def waits() -> bool:
        async with owner.transaction() as tx:
            return bool(await tx.value("select exists (select from pg_locks where not granted)"))

    async def forgotten() -> None:
        async with web.transaction(audience.account_id) as tx:
            await forget_reader(tx, reader)

    async with worker.transaction(audience.account_id) as tx:
        await tx.execute("update send set address = 'anna@example.org'")
        forgetting = asyncio.create_task(forgotten())
        await until(waits)
    await forgetting
    async with web.transaction(audience.account_id) as tx:
        assert await tx.value("select address from send") is None
