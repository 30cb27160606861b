"""Copies that nobody can tell about, and late answers: what is asked, of whom, and once: L1, L4, L7, L8."""

import pytest
from msgspec.structs import replace

from app import ledger
from app.jobs import Work
from app.ledger import audit, delivery, reconciliation
from app.ledger.feeder import DeliverSends
from app.ledger.jobs import look_up_batch
from app.ledger.losing import LookUpBatch
from app.ledger.reconciliation import question
from app.mail import Accepted, Unknown
from tests.ledger.hearing import heard, watched
from tests.ledger.makers import Told, figures_of, handed, lost, permit, started, state_of, unsure

pytestmark = pytest.mark.anyio


async def test_a_late_yes_to_copies_sent_again_elsewhere_is_listed_not_counted_twice(web, worker):
    """L1, L7: a possible double is never silent."""
    audience, mailing, readers = await unsure(web, worker, 3)
    async with web.transaction(audience.account_id) as tx:
        first = await tx.row("select id, lease, job_id from batch")
        await ledger.decide(tx, mailing, "planned", readers[:2], by="Ana", recorded=True)
    await handed(worker, audience, mailing, 1, Accepted())
    async with worker.transaction(audience.account_id) as tx:
        applied = await ledger.apply_evidence(tx, first.id, readers, why="delivered, the provider says")
        # One left in another batch, one was planned again, one is still unknown in this very batch.
        assert (applied.sent, applied.doubles) == (2, 1)
        listed = await ledger.possible_doubles(tx, mailing)
        again = await ledger.apply_evidence(tx, first.id, readers, why="told twice")
    assert (again.sent, again.doubles) == (0, 0)
    assert [(one.batch_id, one.why) for one in listed] == [(first.id, "delivered, the provider says")]
    figures = await figures_of(worker, audience, mailing)
    assert (figures.sent, figures.audience) == (3, 3)


async def test_the_answer_of_a_call_that_was_given_up_is_evidence(web, worker):
    """L1, L4: the record said no (wrongly), the copies left again, then the first call's yes arrives."""
    audience, mailing = await started(web, worker, 2)
    provider = Told()
    work = await permit(worker, audience, DeliverSends(mailing, 2))
    batch = await delivery.claim(work, DeliverSends(mailing, 2), provider)
    assert batch is not None
    await lost(worker, audience)
    async with web.transaction(audience.account_id) as tx:
        await ledger.decide(tx, mailing, "planned", None, by="Ana", recorded=True)
    await handed(worker, audience, mailing, 1, Accepted())
    await delivery.settle(work, batch, Accepted(), Told())
    async with worker.transaction(audience.account_id) as tx:
        assert [one.why for one in await ledger.possible_doubles(tx, mailing)] == [
            "the provider's answer came late"
        ]
    figures = await figures_of(worker, audience, mailing)
    assert (figures.sent, figures.audience) == (2, 2)


async def test_the_audit_finds_a_double_that_a_person_ordered(web, worker):
    """L1: the first copy had arrived after all."""
    audience, mailing = await started(web, worker, 2)
    provider = Told(answer=lambda mails: Unknown("gone"))
    await handed(worker, audience, mailing, 2, None, provider)
    await lost(worker, audience)
    async with web.transaction(audience.account_id) as tx:
        await ledger.decide(tx, mailing, "planned", None, by="Ana", recorded=True)
    provider.answer = lambda mails: Accepted()
    await handed(worker, audience, mailing, 2, None, provider)
    assert await state_of(worker, audience, mailing) == "finished"
    work = await permit(worker, audience, DeliverSends(mailing, 1))
    assert await audit.audit(work, mailing, provider) is True
    async with worker.transaction(audience.account_id) as tx:
        view = await ledger.mailing_view(tx, mailing)
    assert view is not None
    assert view.doubles == 2
    assert view.audit["possible_doubles"] == len(view.audit["readers_doubled"]) == 2


async def test_a_provider_that_fails_in_the_call_leaves_its_copies_unknown(web, worker):
    """L4: whatever escapes a call, bytes may have left."""
    audience, mailing = await started(web, worker, 2)

    def fails(mails):
        raise KeyError("the connection could not be put away")

    provider = Told(answer=fails)
    await handed(worker, audience, mailing, 2, None, provider)
    figures = await figures_of(worker, audience, mailing)
    assert (len(provider.taken), figures.unknown, figures.sent) == (2, 2, 0)


async def test_without_a_record_nobody_is_asked_but_a_person(web, worker, monkeypatch):
    """L4: no look-up is ordered, the team is told once, and the page knows that somebody must decide."""
    told = Told(has_record=False, asked_at_once=False, answer=lambda mails: Unknown("lost after the dot"))
    monkeypatch.setattr("app.ledger.reconciliation.current_provider", lambda: told)
    audience, mailing = await watched(web, worker, 2)
    for _ in range(2):
        await handed(worker, audience, mailing, 1, None, told)
    async with worker.transaction(audience.account_id) as tx:
        assert await tx.value("select count(*) from job where kind = 'look_up_batch'") == 0
        view = await ledger.mailing_view(tx, mailing)
    assert view is not None
    assert view.undecided
    assert view.figures.unknown == 2
    asked = ("needs_person", "nobody can tell whether some copies arrived")
    assert await heard(worker, audience) == [asked]


async def test_what_becomes_unsure_after_a_person_settled_some_is_told_anew(web, worker):
    """Once for all that wait together; the next ones are news again."""
    told = Told(has_record=False, asked_at_once=False, answer=lambda mails: Unknown("lost after the dot"))
    audience, mailing = await watched(web, worker, 5)
    asked = ("needs_person", "nobody can tell whether some copies arrived")
    for call in (1, 2):
        await handed(worker, audience, mailing, 1, None, told)
        assert await heard(worker, audience) == [asked], call
    async with web.transaction(audience.account_id) as tx:
        await ledger.decide(tx, mailing, "sent", None, by="Ana", recorded=False)
    for call in (3, 4):
        batch = await handed(worker, audience, mailing, 1, None, told)
        assert await heard(worker, audience) == [asked, asked], call
    async with web.transaction(audience.account_id) as tx:
        only = [blanks.reader_id for blanks in batch.blanks]
        await ledger.decide(tx, mailing, "sent", only, by="Ana", recorded=False)
    await handed(worker, audience, mailing, 1, None, told)
    assert await heard(worker, audience) == [asked, asked], "one of those they heard of waits still"


async def test_what_the_provider_said_of_an_unknown_stands_on_the_copy_at_once(web, worker):
    """L8: no sweep is waited for, the provider's own words are kept; under another lease nothing moves."""
    audience, mailing = await started(web, worker, 2)
    told = Told(answer=lambda mails: Unknown("the connection was lost after the end of the mail"))
    work = await permit(worker, audience, DeliverSends(mailing, 2))
    batch = await delivery.claim(work, DeliverSends(mailing, 2), told)
    assert batch is not None
    stranger = Work(worker, replace(work.job, lease=work.job.lease + 1), lambda: False)
    await delivery.settle(stranger, batch, await delivery.talk(batch, told), told)
    assert (await figures_of(worker, audience, mailing)).sending == 2
    await delivery.settle(work, batch, await delivery.talk(batch, told), told)
    assert (await figures_of(worker, audience, mailing)).unknown == 2
    async with worker.transaction(audience.account_id) as tx:
        assert await tx.value("select distinct reason from send") == (
            "the connection was lost after the end of the mail"
        )
        asked = await tx.row("select look_up_at >= call_until as later from batch")
    assert asked.later, "until then the call may still have an effect"


async def test_a_record_is_asked_only_of_the_provider_that_was_called(web, worker, monkeypatch):
    """L4: the new provider has no copy of what the old one was given; its silence proves nothing."""
    audience, mailing, _ = await unsure(web, worker, 2)
    monkeypatch.setattr("app.ledger.jobs.current_provider", lambda: Told(name="another"))
    async with worker.transaction(audience.account_id) as tx:
        batch = await tx.value("select id from batch")
    work = await permit(worker, audience, DeliverSends(mailing, 1))
    outcome = await look_up_batch(work, LookUpBatch(batch))
    assert type(outcome).__name__ == "Refused"
    assert (await figures_of(worker, audience, mailing)).unknown == 2


async def test_a_record_that_is_never_whole_is_left_to_a_person_in_the_end(web, worker, monkeypatch):
    """L4: partial answers settle nobody, and the page says when we ask next."""
    audience, mailing, _ = await unsure(web, worker, 2)

    class Partial(Told):
        async def look_up(self, batch_id, delivery_ids, *, call_until):
            record = await super().look_up(batch_id, delivery_ids, call_until=call_until)
            return type(record)(whole=False, sent=record.sent)

    monkeypatch.setattr("app.ledger.jobs.current_provider", Partial)
    async with worker.transaction(audience.account_id) as tx:
        batch = await tx.value("select id from batch")
    work: Work = await permit(worker, audience, DeliverSends(mailing, 1))
    assert type(await look_up_batch(work, LookUpBatch(batch))).__name__ == "Retry"
    work.job = replace(work.job, attempts=10)
    assert type(await look_up_batch(work, LookUpBatch(batch))).__name__ == "Refused"
    assert await question(work, batch) is not None
    async with worker.transaction(audience.account_id) as tx:
        view = await ledger.mailing_view(tx, mailing)
    assert view is not None
    assert (view.undecided, view.figures.unknown) == (True, 2)


async def test_who_still_waits_for_an_answer_is_not_unsure_yet(web, worker, monkeypatch):
    """After SMTP's final dot an answer may take longer than the call: nobody is asked meanwhile."""
    told = Told(has_record=False, asked_at_once=False, patience=600)
    monkeypatch.setattr("app.ledger.reconciliation.current_provider", lambda: told)
    audience, mailing = await watched(web, worker, 2)
    work = await permit(worker, audience, DeliverSends(mailing, 2))
    batch = await delivery.claim(work, DeliverSends(mailing, 2), told)
    assert batch is not None
    await lost(worker, audience)
    assert (await figures_of(worker, audience, mailing)).sending == 2
    assert await heard(worker, audience) == []
    async with worker.transaction(audience.account_id) as tx:
        await tx.execute("update batch set call_until = clock_timestamp() - interval '601 seconds'")
    await reconciliation.sweep(worker)
    assert (await figures_of(worker, audience, mailing)).unknown == 2
