"""What a person does to a mailing, in every state: L1, L4, L5, L7, L10."""

import asyncio
from uuid import UUID

import pytest

from app import ledger
from app.audiences import select_readers
from app.base.database import Database
from app.base.errors import Conflict, NotFound
from app.ledger import delivery, reconciliation
from app.ledger.feeder import DeliverSends, feed
from app.ledger.reconciliation import sweep
from app.ledger.skipping import skip_chunk
from app.mail import Accepted, NotReached, Refused, Unknown
from tests.ledger.makers import (
    Audience,
    Told,
    audience_of,
    build,
    figures_of,
    handed,
    joined,
    lost,
    mailing_to,
    permit,
    started,
    state_of,
    unsure,
)
from tests.waiting import until

pytestmark = pytest.mark.anyio
_WAITS = """
select exists (select from pg_locks join pg_stat_activity using (pid)
               where not granted and datname = current_database())
"""
STATES = ("scheduled", "building", "sending", "paused", "finished", "cancelled")
ALLOWED = {
    "pause": ("scheduled", "building", "sending"),
    "resume": ("paused",),
    "cancel": ("scheduled", "building", "sending", "paused"),
}


async def in_state(web: Database, worker: Database, state: str) -> tuple[Audience, UUID]:
    """A mailing to four readers in that state."""
    audience = await audience_of(web, 4)
    mailing = await mailing_to(web, audience, wait=60 if state == "scheduled" else 0)
    if state in ("scheduled", "building"):
        return audience, mailing
    await build(worker, audience, mailing)
    if state == "finished":
        await handed(worker, audience, mailing, 4, Accepted())
    async with web.transaction(audience.account_id) as tx:
        if state == "paused":
            await ledger.pause(tx, mailing, "Ana")
        if state == "cancelled":
            await ledger.cancel(tx, mailing, "Ana")
    assert await state_of(worker, audience, mailing) == state
    return audience, mailing


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("act", ["pause", "resume", "cancel"])
async def test_an_act_fits_the_state_or_names_it(web, worker, state, act):
    """L5; field case B: stop takes effect in every state, or says which state it is."""
    audience, mailing = await in_state(web, worker, state)
    acts = {
        "pause": lambda tx: ledger.pause(tx, mailing, "Ana"),
        "resume": lambda tx: ledger.resume(tx, mailing),
        "cancel": lambda tx: ledger.cancel(tx, mailing, "Ana"),
    }
    async with web.transaction(audience.account_id) as tx:
        if state in ALLOWED[act]:
            await acts[act](tx)
        else:
            with pytest.raises(Conflict, match=f"is {state}"):
                await acts[act](tx)
    wanted = {"pause": "paused", "resume": "sending", "cancel": "cancelled"}[act]
    assert await state_of(worker, audience, mailing) == (wanted if state in ALLOWED[act] else state)
    assert (await figures_of(worker, audience, mailing)).audience in (0, 4)


async def test_an_unknown_mailing_is_not_there(web, worker):
    audience = await audience_of(web, 1)
    async with web.transaction(audience.account_id) as tx:
        with pytest.raises(NotFound):
            await ledger.pause(tx, UUID(int=7), "Ana")


async def test_a_build_that_was_paused_goes_on_where_it_stopped(web, worker):
    """L2: nobody is lost, and nobody recorded twice."""
    audience = await audience_of(web, 12)
    mailing = await mailing_to(web, audience)
    async with worker.transaction(audience.account_id) as tx:
        await ledger.record_chunk(tx, mailing, select_readers(audience.newsletter_id), chunk=5)
    async with web.transaction(audience.account_id) as tx:
        await ledger.pause(tx, mailing, "Ana")
    await build(worker, audience, mailing, chunk=5)
    assert (await figures_of(worker, audience, mailing)).audience == 5
    async with web.transaction(audience.account_id) as tx:
        assert (await ledger.resume(tx, mailing)).state == "building"
    await build(worker, audience, mailing, chunk=5)
    assert (await figures_of(worker, audience, mailing)).audience == 12
    assert await state_of(worker, audience, mailing) == "sending"


async def test_who_has_it_is_not_mailed_again_after_a_pause(web, worker):
    """L1; field case A: pause at 30, resume, let finish: each address exactly once."""
    audience, mailing = await started(web, worker, 100)
    provider = Told()
    await handed(worker, audience, mailing, 30, Accepted(), provider)
    async with web.transaction(audience.account_id) as tx:
        await ledger.pause(tx, mailing, "Ana")
    figures = await figures_of(worker, audience, mailing)
    assert (figures.sent, figures.to_go, figures.unknown) == (30, 70, 0)
    work = await permit(worker, audience, DeliverSends(mailing, 100))
    assert await delivery.claim(work, DeliverSends(mailing, 100), provider) is None
    async with web.transaction(audience.account_id) as tx:
        await ledger.resume(tx, mailing)
    await handed(worker, audience, mailing, 100, Accepted(), provider)
    assert len(provider.taken) == len({mail.to for mail in provider.taken}) == 100
    assert await state_of(worker, audience, mailing) == "finished"


async def test_a_cancelled_mailing_is_skipped_in_chunks_with_the_reason(web, worker):
    """L5, L7, L8."""
    audience, mailing = await started(web, worker, 11)
    await handed(worker, audience, mailing, 3, Accepted())
    async with web.transaction(audience.account_id) as tx:
        assert await ledger.cancel(tx, mailing, "Ana") is False
    skipped = []
    for _ in range(4):
        async with worker.transaction(audience.account_id) as tx:
            skipped.append(await skip_chunk(tx, mailing, chunk=4))
        assert (await figures_of(worker, audience, mailing)).audience == 11
    assert skipped == [4, 4, 0, 0]
    async with worker.transaction(audience.account_id) as tx:
        assert (
            await tx.value("select string_agg(distinct reason, '|') from send") == "the email was cancelled"
        )
    figures = await figures_of(worker, audience, mailing)
    assert (figures.sent, figures.skipped) == (3, 8)


async def test_what_comes_back_to_a_cancelled_mailing_is_skipped_too(web, worker):
    """L5: a call in hand at the cancel that reached nobody; the sweep orders the skip again."""
    audience, mailing = await started(web, worker, 3)
    provider = Told(answer=lambda mails: NotReached("no route"))
    work = await permit(worker, audience, DeliverSends(mailing, 3))
    batch = await delivery.claim(work, DeliverSends(mailing, 3), provider)
    assert batch is not None
    async with web.transaction(audience.account_id) as tx:
        await ledger.cancel(tx, mailing, "Ana")
    async with worker.transaction(audience.account_id) as tx:
        await tx.execute(
            "update job set state = 'discarded', finished_at = now() where kind = 'skip_cancelled'"
        )
    await delivery.settle(work, batch, await delivery.talk(batch, provider), provider)
    assert (await figures_of(worker, audience, mailing)).planned == 3
    assert await sweep(worker) == {"housekeeping"}
    assert await sweep(worker) == set()
    async with worker.transaction(audience.account_id) as tx:
        assert await skip_chunk(tx, mailing) == 3


@pytest.mark.parametrize("found", [True, False])
async def test_unknown_copies_of_a_cancelled_mailing_are_still_looked_up(web, worker, found):
    """L1, L4."""
    audience, mailing = await started(web, worker, 3)
    provider = Told(answer=lambda mails: Unknown("gone"), keep=lambda mails: found)
    batch = await handed(worker, audience, mailing, 3, None, provider)
    async with web.transaction(audience.account_id) as tx:
        await ledger.cancel(tx, mailing, "Ana")
    await lost(worker, audience)
    work = await permit(worker, audience, DeliverSends(mailing, 1))
    about = await reconciliation.question(work, batch.id)
    assert about is not None
    await reconciliation.resolve(work, about, await reconciliation.ask(about, provider))
    figures = await figures_of(worker, audience, mailing)
    assert (figures.sent, figures.skipped) == ((3, 0) if found else (0, 3))


async def test_failed_copies_are_tried_again_and_a_finished_mailing_sends_again(web, worker):
    """L1, L7."""
    audience, mailing = await started(web, worker, 6)
    provider = Told()
    await handed(worker, audience, mailing, 4, Accepted(), provider)
    await handed(worker, audience, mailing, 2, Refused("no such user"))
    assert await state_of(worker, audience, mailing) == "finished"
    async with web.transaction(audience.account_id) as tx:
        assert await ledger.retry_failed(tx, mailing) == 2
    figures = await figures_of(worker, audience, mailing)
    assert (figures.planned, figures.failed, figures.audience) == (2, 0, 6)
    assert await state_of(worker, audience, mailing) == "sending"
    async with web.transaction(audience.account_id) as tx:
        with pytest.raises(Conflict, match="sending"):
            await ledger.retry_failed(tx, mailing)
    await handed(worker, audience, mailing, 10, Accepted(), provider)
    assert await state_of(worker, audience, mailing) == "finished"
    assert len({mail.to for mail in provider.taken}) == len(provider.taken) == 6


async def test_those_who_are_missing_are_added_and_the_unknown_left_alone(web, worker):
    """L1, L4; field case C: send to those without it."""
    audience, mailing = await started(web, worker, 5)
    await handed(worker, audience, mailing, 2, Unknown("gone"))
    await lost(worker, audience)
    await joined(web, audience, "late", 3)
    async with web.transaction(audience.account_id) as tx:
        added = await ledger.send_to_missing(tx, mailing, select_readers(audience.newsletter_id))
        assert added == 3
        assert await ledger.send_to_missing(tx, mailing, select_readers(audience.newsletter_id)) == 0
    figures = await figures_of(worker, audience, mailing)
    assert (figures.planned, figures.unknown, figures.audience) == (6, 2, 8)


async def test_who_was_skipped_and_may_be_mailed_by_now_is_missing_too(web, worker):
    """L1, L7: two had left; the one who came back has no copy, and gets one."""
    audience, mailing = await started(web, worker, 5)
    leave = (
        "update subscription set state = :state"
        " where reader_id = any (array(select reader_id from send limit :n))"
    )
    async with web.transaction(audience.account_id) as tx:
        await tx.execute(leave, state="unsubscribed", n=2)
    await handed(worker, audience, mailing, 5, Accepted())
    async with web.transaction(audience.account_id) as tx:
        assert await ledger.send_to_missing(tx, mailing, select_readers(audience.newsletter_id)) == 0
        await tx.execute(leave.replace("from send", "from send where state = 'skipped'"), state="active", n=1)
        assert await ledger.send_to_missing(tx, mailing, select_readers(audience.newsletter_id)) == 1
    figures = await figures_of(worker, audience, mailing)
    assert (figures.planned, figures.skipped, figures.sent, figures.audience) == (1, 1, 3, 5)
    assert await state_of(worker, audience, mailing) == "sending"
    await handed(worker, audience, mailing, 5, Accepted())
    assert await state_of(worker, audience, mailing) == "finished"


@pytest.mark.parametrize("state", ["scheduled", "building", "cancelled"])
async def test_nobody_is_added_while_the_audience_is_not_whole_or_after_a_cancel(web, worker, state):
    audience, mailing = await in_state(web, worker, state)
    async with web.transaction(audience.account_id) as tx:
        with pytest.raises(Conflict, match=f"is {state}"):
            await ledger.send_to_missing(tx, mailing, select_readers(audience.newsletter_id))


@pytest.mark.parametrize(("verdict", "recorded"), [("sent", True), ("planned", True), ("planned", False)])
async def test_a_person_settles_some_of_the_unknown_and_then_all(web, worker, verdict, recorded):
    """L1, L4, L7: without a record, whoever is sent it again is listed at once."""
    audience, mailing, readers = await unsure(web, worker, 5)
    async with web.transaction(audience.account_id) as tx:
        moved = await ledger.decide(tx, mailing, verdict, readers[:2], by="Ana", recorded=recorded)
        assert moved == 2
    figures = await figures_of(worker, audience, mailing)
    assert (getattr(figures, verdict), figures.unknown, figures.audience) == (2, 3, 5)
    with pytest.raises(Conflict, match="Nothing was changed"):
        async with web.transaction(audience.account_id) as tx:
            await ledger.decide(tx, mailing, verdict, readers[:3], by="Ana", recorded=recorded)
    async with web.transaction(audience.account_id) as tx:
        assert await tx.value("select state from batch") == "unknown"
        assert await ledger.decide(tx, mailing, verdict, None, by="Ana", recorded=recorded) == 3
        assert await tx.value("select state from batch") == "resolved"
        listed = await ledger.possible_doubles(tx, mailing)
        assert len(listed) == (5 if verdict == "planned" and not recorded else 0)
        with pytest.raises(Conflict, match="nothing to settle"):
            await ledger.decide(tx, mailing, verdict, None, by="Ana", recorded=recorded)
    assert getattr(await figures_of(worker, audience, mailing), verdict) == 5


async def test_what_a_switch_holds_stays_planned_and_goes_when_let_go(web, worker):
    """L5, L10: nothing is claimed or even granted, and nothing finishes."""
    audience, mailing = await started(web, worker, 6)
    work = await permit(worker, audience, DeliverSends(mailing, 4))
    async with web.transaction(audience.account_id) as tx:
        await tx.execute(
            "insert into switch (account_id, stopped, scope, reason, holding)"
            " values (:a, true, 'bulk', 'a test', true)",
            a=audience.account_id,
        )
    assert await feed(worker) == set()
    assert await delivery.claim(work, DeliverSends(mailing, 4), Told()) is None
    async with web.transaction(audience.account_id) as tx:
        await tx.execute("update switch set stopped = false")
    assert await delivery.claim(work, DeliverSends(mailing, 4), Told()) is None
    await delivery.finish(worker, audience.account_id, mailing)
    assert await state_of(worker, audience, mailing) == "sending"
    assert (await figures_of(worker, audience, mailing)).planned == 6
    async with web.transaction(audience.account_id) as tx:
        await tx.execute("update switch set holding = false")
    batch = await delivery.claim(work, DeliverSends(mailing, 4), Told())
    assert batch is not None
    await delivery.settle(work, batch, Accepted(), Told())
    assert (await figures_of(worker, audience, mailing)).sent == 4


@pytest.mark.parametrize("act", ["missing", "retry"])
@pytest.mark.parametrize("by_sweep", [False, True])
async def test_what_is_planned_while_somebody_finishes_it_keeps_it_open(web, worker, owner, act, by_sweep):
    """E2, L7: whoever finishes it waited for the act's lock, and looks again at what is left."""
    audience, mailing = await started(web, worker, 2)
    work = await permit(worker, audience, DeliverSends(mailing, 2))
    batch = await delivery.claim(work, DeliverSends(mailing, 2), Told())
    assert batch is not None
    outcome = Refused("no such mailbox") if act == "retry" else Accepted()
    await delivery._settle(work, batch, outcome, Told())  # and nobody has looked yet whether all is done
    await joined(web, audience, "late", 2)

    async def waits() -> bool:
        async with owner.transaction() as tx:
            return finishing.done() or await tx.value(_WAITS)

    async with web.transaction(audience.account_id) as tx:
        if act == "retry":
            assert await ledger.retry_failed(tx, mailing) == 2
        else:
            readers = select_readers(audience.newsletter_id)
            assert await ledger.send_to_missing(tx, mailing, readers) == 2
        finish = sweep(worker) if by_sweep else delivery.finish(worker, audience.account_id, mailing)
        finishing = asyncio.create_task(finish)
        await until(waits)
    await finishing
    assert (await figures_of(worker, audience, mailing)).planned == 2
    assert await state_of(worker, audience, mailing) == "sending"
    await handed(worker, audience, mailing, 2, Accepted())
    assert await state_of(worker, audience, mailing) == "finished"


async def test_two_who_press_at_once_cannot_both_be_right(web, worker):
    """Compare and set: one pauses, the other is told that it is paused."""
    audience, mailing = await started(web, worker, 2)

    async def press() -> str:
        try:
            async with web.transaction(audience.account_id) as tx:
                await ledger.pause(tx, mailing, "Ana")
            return "paused"
        except Conflict as error:
            return error.detail

    told = await asyncio.gather(press(), press(), press())
    assert sorted(one == "paused" for one in told) == [False, False, True]
    assert sum("is paused" in one for one in told) == 2
