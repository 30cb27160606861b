"""What stands in the way: nobody reached, put off, wrong keys, a bad mail: E6, E10, L6, L8, L9, L10."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from app import ledger, mail
from app.base.database import Database
from app.base.settings import settings
from app.jobs.runner import QueueLoop
from app.ledger import delivery, feed
from app.ledger.contents import delivery_id
from app.ledger.feeder import DeliverSends
from app.ledger.jobs import deliver_sends
from app.mail import Accepted, Mail, Misconfigured, NotReached, Outcome, Refused, Split, Throttled
from app.suppressions import suppression_of
from tests.ledger.hearing import heard, watched
from tests.ledger.makers import Told, figures_of, handed, permit, started, state_of, working
from tests.waiting import until

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def working_sends(worker: Database):
    """The loop of the queue sends alone: no feeder, no sweep."""
    stopping = False
    loop = QueueLoop(worker, "sends", "tests", lambda: stopping)
    running = asyncio.create_task(loop.run())
    loop.wake()
    try:
        yield
    finally:
        stopping = True
        loop.wake()
        await running


async def waiting_leave(worker: Database, n: int) -> bool:
    async with worker.transaction() as tx:
        found = await tx.value(
            "select coalesce(sum((args ->> 'n')::int), 0) from job"
            " where kind = 'deliver_sends' and state = 'ready' and run_at > clock_timestamp()"
        )
    return found == n


async def test_five_calls_in_a_row_that_reach_nobody_pause_it_and_tell(web, worker):
    """L10: nothing is lost, spent or failed by it; field case B: it does not hang without a word."""
    audience, mailing = await watched(web, worker, 3)
    for call in range(1, 6):
        await handed(worker, audience, mailing, 3, NotReached("no such host"))
        assert await state_of(worker, audience, mailing) == ("paused" if call == 5 else "sending"), call
    assert (await figures_of(worker, audience, mailing)).planned == 3
    assert await heard(worker, audience) == [
        ("needs_person", "the mail provider cannot be reached: no such host")
    ]
    async with web.transaction(audience.account_id) as tx:
        await ledger.resume(tx, mailing)
    await handed(worker, audience, mailing, 3, NotReached("no such host"))
    assert await state_of(worker, audience, mailing) == "sending", "counted anew after a person resumed it"


async def test_one_that_is_reached_in_between_begins_the_count_anew(web, worker):
    audience, mailing = await watched(web, worker, 3)
    for outcome in (*[NotReached("x")] * 4, Throttled("slow"), *[NotReached("x")] * 4):
        await handed(worker, audience, mailing, 1, outcome)
    assert await state_of(worker, audience, mailing) == "sending"


async def test_ten_minutes_without_reaching_it_pause_it_too(web, worker):
    audience, mailing = await watched(web, worker, 3)
    await handed(worker, audience, mailing, 1, NotReached("x"))
    async with worker.transaction(audience.account_id) as tx:
        await tx.execute("update mailing set not_reached_since = clock_timestamp() - interval '11 minutes'")
    await handed(worker, audience, mailing, 1, NotReached("x"))
    assert await state_of(worker, audience, mailing) == "paused"


async def test_a_wrong_key_fails_the_rows_of_one_call_and_no_more(web, worker):
    """L8: the rest stays planned, the mailing is paused with the reason and the team told."""
    audience, mailing = await watched(web, worker, 10)
    await handed(worker, audience, mailing, 4, Misconfigured("401 Forbidden"))
    figures = await figures_of(worker, audience, mailing)
    assert (figures.failed, figures.planned) == (4, 6)
    assert await state_of(worker, audience, mailing) == "paused"
    async with worker.transaction(audience.account_id) as tx:
        assert await tx.value("select distinct reason from send where state = 'failed'") == "401 Forbidden"
    assert await heard(worker, audience) == [("needs_person", "the mail provider refuses us: 401 Forbidden")]


async def test_a_wrong_key_at_the_last_call_leaves_nothing_to_pause(web, worker):
    audience, mailing = await watched(web, worker, 4)
    await handed(worker, audience, mailing, 4, Misconfigured("401 Forbidden"))
    assert await state_of(worker, audience, mailing) == "finished"
    assert await heard(worker, audience) == [("finished", "")]


async def test_one_bad_mail_is_found_by_halves_and_alone_fails(web, worker):
    """L1, L8: the other 99 arrive, once."""
    audience, mailing = await started(web, worker, 100)

    def answer(mails: list[Mail]) -> Outcome:
        if not any(mail.to == "r57@example.com" for mail in mails):
            return Accepted()
        return Refused("no such user") if len(mails) == 1 else Split("one of them is bad")

    provider = Told(answer=answer, keep=lambda mails: isinstance(answer(mails), Accepted))
    calls = 0
    while (await figures_of(worker, audience, mailing)).to_go:
        await handed(worker, audience, mailing, 100, None, provider)
        calls += 1
        assert calls <= 16, "halved at most six times, and each half tried once"
    figures = await figures_of(worker, audience, mailing)
    assert (figures.sent, figures.failed) == (99, 1)
    assert len({mail.to for mail in provider.taken}) == len(provider.taken) == 99


async def test_a_throttled_permit_is_not_an_attempt_and_nobody_is_failed(web, worker, monkeypatch):
    """E6; field case C: 454 is not final."""
    audience, mailing = await started(web, worker, 3)
    told = Told(answer=lambda mails: Throttled("454 slow down", 7))
    monkeypatch.setattr("app.ledger.jobs.current_provider", lambda: told)
    work = await permit(worker, audience, DeliverSends(mailing, 3))
    outcome = await deliver_sends(work, DeliverSends(mailing, 3))
    assert (type(outcome).__name__, outcome.after) == ("Throttled", 7)
    assert await state_of(worker, audience, mailing) == "sending"
    assert (await figures_of(worker, audience, mailing)).planned == 3


async def test_a_mailing_whose_last_copies_are_put_off_for_days_pauses_and_tells(web, worker, monkeypatch):
    """L10; field case C: it neither hangs for ever nor fails anybody; the tries come less and less often."""
    audience, mailing = await watched(web, worker, 3)
    await handed(worker, audience, mailing, 1, Accepted())
    told = Told(answer=lambda mails: Throttled("450 greylisted"))
    monkeypatch.setattr("app.ledger.jobs.current_provider", lambda: told)

    async def tried(since: str) -> float:
        async with worker.transaction(audience.account_id) as tx:
            await tx.execute(f"update mailing set put_off_since = clock_timestamp() - interval '{since}'")
        work = await permit(worker, audience, DeliverSends(mailing, 2))
        later = await deliver_sends(work, DeliverSends(mailing, 2))
        return round(later.after)

    assert [await tried(since) for since in ("0 s", "1 minute", "20 hours")] == [2, 15, 900]
    async with worker.transaction(audience.account_id) as tx:
        await tx.execute("update mailing set came_back_at = clock_timestamp() - interval '4 hours'")
    assert await tried("49 hours") == 2, "nobody was called for hours: that time does not count"
    assert await state_of(worker, audience, mailing) == "sending"
    await tried("49 hours")
    assert await state_of(worker, audience, mailing) == "paused"
    assert (await figures_of(worker, audience, mailing)).planned == 2
    reason = "the mail provider has put off every copy for 2 days: 450 greylisted"
    assert await heard(worker, audience) == [("needs_person", reason)]
    async with web.transaction(audience.account_id) as tx:
        await ledger.resume(tx, mailing)
    await handed(worker, audience, mailing, 2, Throttled("450 greylisted"))
    assert await state_of(worker, audience, mailing) == "sending", "counted anew after a person resumed it"


async def test_one_copy_that_is_taken_begins_the_days_anew(web, worker):
    audience, mailing = await watched(web, worker, 3)
    await handed(worker, audience, mailing, 1, Throttled("450 greylisted"))
    await handed(worker, audience, mailing, 1, Accepted())
    async with worker.transaction(audience.account_id) as tx:
        assert await tx.value("select put_off_since from mailing") is None


async def test_a_retry_of_the_same_batch_is_the_same_bytes(web, worker):
    """L6: of one batch, reader and claim, the mail is one, whoever renders it."""
    audience, mailing = await started(web, worker, 2)
    provider = Told()
    batch = await handed(worker, audience, mailing, 2, Accepted(), provider)
    again = Told()
    await delivery.talk(batch, again)
    assert again.taken == provider.taken
    assert {mail.delivery_id for mail in again.taken} == {
        delivery_id(batch.id, blanks.reader_id) for blanks in batch.blanks
    }


async def test_an_address_that_is_refused_for_good_is_news_for_the_readers(web, worker):
    """L8; field case J: a hard bounce blocks the address, told in the commit that settles."""
    audience, mailing = await watched(web, worker, 2)
    await handed(worker, audience, mailing, 1, Refused("552 5.2.2 mailbox full"))
    await handed(worker, audience, mailing, 1, Refused("550 5.1.1 no such user", bounced=True))
    async with worker.transaction(audience.account_id) as tx:
        [told] = await tx.rows("select args from job where kind = 'address_bounced'")
        gone = await tx.value("select address from send where reason like '550%'")
    assert told.args == {"address": gone, "reason": "bounce", "detail": "550 5.1.1 no such user"}
    async with working(worker):

        async def blocked():
            async with web.transaction(audience.account_id) as tx:
                return await suppression_of(tx, gone)

        found = await until(blocked)
    assert (found.reason, found.detail) == ("bounce", "550 5.1.1 no such user")
    async with worker.transaction(audience.account_id) as tx:
        assert await tx.value("select count(*) from suppression") == 1


async def test_a_provider_that_refuses_us_is_handed_nothing_until_a_probe_is_let_in(web, worker):
    """L10: one wrong key fails one call, of nobody else's mailing; theirs goes on by itself."""
    audience, mailing = await watched(web, worker, 3)
    other, theirs = await watched(web, worker, 3)
    await handed(worker, audience, mailing, 1, Misconfigured("401 the key is wrong"))
    assert await feed(worker) == set()
    work = await permit(worker, other, DeliverSends(theirs, 2))
    assert await delivery.claim(work, DeliverSends(theirs, 2), Told()) is None
    assert await mail.probe_refusing(worker) == set(), "it is not time yet"
    async with web.transaction() as tx:
        standing = await mail.standing_refusal(tx)
        assert standing.reason == "401 the key is wrong"
        assert standing.seconds == pytest.approx(30, abs=2)
        assert await mail.probe_soon(tx)
    turns = await asyncio.gather(*(mail.probe_refusing(worker) for _ in range(3)))
    assert sorted(map(len, turns)) == [0, 0, 2], "over all processes one asks"
    assert await feed(worker) == {"sends"}
    assert await state_of(worker, other, theirs) == "sending"
    batch = await delivery.claim(work, DeliverSends(theirs, 2), Told())
    assert batch is not None


async def test_a_probe_that_lets_in_what_mail_is_not_waits_longer_each_time(web, worker):
    """A log-in proves nothing about a sender or a right: the waits grow on, and a new reason is told."""
    waits = []
    for n in range(4):
        async with worker.transaction() as tx:
            await mail.remember_refusal(tx, f"relay denied {n}")
        async with web.transaction() as tx:
            standing = await mail.standing_refusal(tx)
            assert standing.reason == f"relay denied {n}"
            waits.append(standing.seconds)
        async with worker.transaction() as tx:
            await tx.execute("update provider_refusal set probe_at = godwit_now()")
        assert await mail.probe_refusing(worker) == {"sends", "messages"}
        async with web.transaction() as tx:
            assert await mail.standing_refusal(tx) is None
            assert not await mail.probe_soon(tx)
    assert waits == pytest.approx([30, 60, 120, 240], abs=2)
    async with worker.transaction() as tx:
        await tx.execute("update provider_refusal set let_in_at = let_in_at - interval '2 hours'")
        await mail.remember_refusal(tx, "another day")
        assert (await mail.standing_refusal(tx)).seconds == pytest.approx(30, abs=2)


async def test_a_probe_that_reaches_nobody_leaves_the_reason_as_it_was(web, worker, owner):
    async with worker.transaction() as tx:
        await mail.remember_refusal(tx, "535 the password is wrong")
    async with web.transaction() as tx:
        await mail.probe_soon(tx)
    async with owner.transaction() as tx:
        await tx.execute("insert into mailbox.fault (target, kind) values ('provider', 'down')")
    try:
        assert await mail.probe_refusing(worker) == set()
    finally:
        async with owner.transaction() as tx:
            await tx.execute("delete from mailbox.fault")
    async with worker.transaction() as tx:
        assert (await mail.standing_refusal(tx)).reason == "535 the password is wrong"


async def test_what_was_put_off_waits_with_its_leave_and_takes_nothing_from_others(web, worker, monkeypatch):
    """E10, L9: no new leave beside a permit that waits, and the budget is whole for everybody else."""
    await started(web, worker, 5)
    told = Told(answer=lambda mails: Throttled("451 later", 900))
    monkeypatch.setattr("app.ledger.jobs.current_provider", lambda: told)
    monkeypatch.setenv("GODWIT_SEND_RATE", "4")
    settings.cache_clear()
    assert await feed(worker) == await feed(worker) == {"sends"}
    async with working_sends(worker):
        await until(lambda: waiting_leave(worker, 5), seconds=10)
        for _ in range(3):
            assert await feed(worker) == set(), "five copies wait behind five copies' leave"
        other, _ = await started(web, worker, 30)
        assert await feed(worker) == {"sends"}
    async with worker.transaction(other.account_id) as tx:
        granted = await tx.value(
            "select sum((args ->> 'n')::int) from job where kind = 'deliver_sends' and account_id = :a",
            a=other.account_id,
        )
    assert granted == 4, "a second's worth, as if nothing else waited"


async def test_why_copies_came_back_stands_on_them_and_on_their_mailing(web, worker):
    """L8: also what is tried again says why it was not taken, until it is."""
    audience, mailing = await started(web, worker, 2)
    for outcome in (Throttled("451 later"), NotReached("no such host")):
        await handed(worker, audience, mailing, 2, outcome)
        async with worker.transaction(audience.account_id) as tx:
            assert await tx.value("select distinct reason from send") == outcome.reason
            view = await ledger.mailing_view(tx, mailing)
        assert view is not None
        assert view.put_off == outcome.reason
    work = await permit(worker, audience, DeliverSends(mailing, 2))
    batch = await delivery.claim(work, DeliverSends(mailing, 2), Told())
    assert batch is not None
    async with worker.transaction(audience.account_id) as tx:
        assert await tx.value("select count(*) from send where reason is not null") == 0
    await delivery.settle(work, batch, Accepted(), Told())
    async with worker.transaction(audience.account_id) as tx:
        assert await tx.value("select count(*) from send where reason is not null") == 0
        view = await ledger.mailing_view(tx, mailing)
    assert view is not None
    assert view.put_off is None
