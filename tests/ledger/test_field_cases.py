"""Faults that products of this kind had (doubles, stuck, wrong "done"), as far as the ledger answers."""

import random

import pytest

from app import ledger
from app.audiences import select_readers
from app.base.errors import Conflict
from app.ledger import delivery, reconciliation
from app.ledger.feeder import DeliverSends, feed
from app.ledger.reconciliation import sweep
from app.mail import Accepted, Mail, NotReached, Outcome, Throttled, Unknown
from tests.ledger.makers import (
    Told,
    audience_of,
    build,
    figures_of,
    handed,
    lost,
    mailing_to,
    permit,
    started,
    state_of,
)

pytestmark = pytest.mark.anyio


async def test_a_relay_that_hangs_up_every_25_mails_still_reaches_each_once(web, worker):
    """L1, L4: progress counts readers, not tries; resume until it is done."""
    audience, mailing = await started(web, worker, 120)
    provider, calls = Told(), 0

    def answer(mails: list[Mail]) -> Outcome:
        return Unknown("the relay hung up") if calls % 2 else Accepted()

    provider.answer = answer
    while await state_of(worker, audience, mailing) != "finished":
        calls += 1
        assert calls < 30
        if (await figures_of(worker, audience, mailing)).planned:
            await handed(worker, audience, mailing, 25, None, provider)
        await lost(worker, audience)
        async with worker.transaction(audience.account_id) as tx:
            unknown = [row.id for row in await tx.rows("select id from batch where state = 'unknown'")]
        work = await permit(worker, audience, DeliverSends(mailing, 1))
        for batch in unknown:
            about = await reconciliation.question(work, batch)
            assert about is not None
            await reconciliation.resolve(work, about, await reconciliation.ask(about, provider))
        assert (await figures_of(worker, audience, mailing)).audience == 120
        await sweep(worker)
    assert len(provider.taken) == len({mail.to for mail in provider.taken}) == 120


async def test_what_was_only_fetched_when_the_worker_died_is_sent_later(web, worker):
    """L3, L4: the claim moves no checkpoint past anybody, and nothing is "finished" before."""
    audience, mailing = await started(web, worker, 10)
    provider = Told()
    work = await permit(worker, audience, DeliverSends(mailing, 10))
    batch = await delivery.claim(work, DeliverSends(mailing, 10), provider)
    assert batch is not None
    await delivery.finish(worker, audience.account_id, mailing)
    assert await state_of(worker, audience, mailing) == "sending"
    await lost(worker, audience)
    await delivery.finish(worker, audience.account_id, mailing)
    assert await state_of(worker, audience, mailing) == "sending"
    about = await reconciliation.question(work, batch.id)
    assert about is not None
    await reconciliation.resolve(work, about, await reconciliation.ask(about, provider))
    await handed(worker, audience, mailing, 10, Accepted(), provider)
    assert await state_of(worker, audience, mailing) == "finished"
    assert len(provider.taken) == 10


async def test_a_job_already_queued_sends_nothing_after_the_cancel(web, worker):
    """L5: the permit was there first; its claim asks again."""
    audience, mailing = await started(web, worker, 3)
    work = await permit(worker, audience, DeliverSends(mailing, 3))
    async with web.transaction(audience.account_id) as tx:
        await ledger.cancel(tx, mailing, "Ana")
    assert await delivery.claim(work, DeliverSends(mailing, 3), Told()) is None


async def test_a_finished_mailing_stays_finished_however_often_workers_start(web, worker):
    """L1: recovery touches nothing that is over."""
    audience, mailing = await started(web, worker, 3)
    await handed(worker, audience, mailing, 3, Accepted())
    for _ in range(3):
        assert await feed(worker) == set()
        await sweep(worker)
        await build(worker, audience, mailing)
    assert await state_of(worker, audience, mailing) == "finished"
    async with worker.transaction(audience.account_id) as tx:
        assert await tx.value("select count(*) from batch") == 1


async def test_a_yes_that_could_not_be_written_down_is_never_a_failure(web, worker):
    """L4: the database failed after the provider's yes: unknown, and settled by the record as sent."""
    audience, mailing = await started(web, worker, 4)
    provider = Told()
    work = await permit(worker, audience, DeliverSends(mailing, 4))
    batch = await delivery.claim(work, DeliverSends(mailing, 4), provider)
    assert batch is not None
    assert isinstance(await delivery.talk(batch, provider), Accepted)
    await lost(worker, audience)
    about = await reconciliation.question(work, batch.id)
    assert about is not None
    await reconciliation.resolve(work, about, await reconciliation.ask(about, provider))
    figures = await figures_of(worker, audience, mailing)
    assert (figures.sent, figures.failed) == (4, 0)


async def test_a_provider_that_throttles_is_not_done_at_578_of_1450(web, worker):
    """E6, L7: a temporary no keeps it open until everybody is final."""
    audience, mailing = await started(web, worker, 145)
    dice, provider = random.Random(7), Told()
    for _ in range(60):
        if await state_of(worker, audience, mailing) == "finished":
            break
        taken = dice.random() < 0.5
        provider.keep = lambda mails, taken=taken: taken
        provider.answer = lambda mails, taken=taken: Accepted() if taken else Throttled("454 slow down")
        await handed(worker, audience, mailing, 14, None, provider)
        figures = await figures_of(worker, audience, mailing)
        assert (await state_of(worker, audience, mailing) == "finished") == (figures.sent == 145)
    assert len({mail.to for mail in provider.taken}) == len(provider.taken) == 145


async def test_a_mail_that_cannot_be_written_fails_alone_and_visibly(web, worker, monkeypatch):
    """L8: one reader's mail fails to render; the others get theirs, and it can be tried again."""
    audience, mailing = await started(web, worker, 9)
    whole = delivery.mail_for

    def breaks(content, batch_id, blanks, date):
        if blanks.address == "r5@example.com":
            raise ValueError("there is no such attribute")
        return whole(content, batch_id, blanks, date)

    monkeypatch.setattr("app.ledger.delivery.mail_for", breaks)
    provider = Told()
    for _ in range(20):
        if (await figures_of(worker, audience, mailing)).to_go:
            await handed(worker, audience, mailing, 9, None, provider)
    figures = await figures_of(worker, audience, mailing)
    assert (figures.sent, figures.failed) == (8, 1)
    async with worker.transaction(audience.account_id) as tx:
        reason = await tx.value("select reason from send where state = 'failed'")
    assert reason == "this mail cannot be written: there is no such attribute"
    monkeypatch.undo()
    async with web.transaction(audience.account_id) as tx:
        assert await ledger.retry_failed(tx, mailing) == 1
    await handed(worker, audience, mailing, 9, Accepted(), provider)
    assert len({mail.to for mail in provider.taken}) == len(provider.taken) == 9


async def test_one_mailing_whose_provider_fails_does_not_block_another(web, worker):
    """E10: the older one is paused with its reason, the younger one goes out."""
    audience, poisoned = await started(web, worker, 3)
    other = await mailing_to(web, audience)
    await build(worker, audience, other)
    for _ in range(5):
        await handed(worker, audience, poisoned, 3, NotReached("no such host"))
    await handed(worker, audience, other, 3, Accepted())
    assert await state_of(worker, audience, poisoned) == "paused"
    assert await state_of(worker, audience, other) == "finished"


async def test_who_joined_while_the_audience_was_read_is_sent_to_as_missing(web, worker):
    """L2, L7: the count after the build is what was read; the rest is added by a press, once."""
    audience = await audience_of(web, 6)
    mailing = await mailing_to(web, audience)
    half = select_readers(audience.newsletter_id).limit(3)
    async with worker.transaction(audience.account_id) as tx:
        await ledger.record_chunk(tx, mailing, half, chunk=100)
    assert (await figures_of(worker, audience, mailing)).audience == 3
    everybody = select_readers(audience.newsletter_id)
    async with web.transaction(audience.account_id) as tx:
        assert await ledger.send_to_missing(tx, mailing, everybody) == 3
    provider = Told()
    await handed(worker, audience, mailing, 10, Accepted(), provider)
    assert len({mail.to for mail in provider.taken}) == len(provider.taken) == 6
    with pytest.raises(Conflict, match="finished"):
        async with web.transaction(audience.account_id) as tx:
            await ledger.resume(tx, mailing)
