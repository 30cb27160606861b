"""A mailing from its start to its audit, by the loops and timers that workers run."""

import pytest

from app.base.database import Database
from app.base.settings import settings
from app.ledger import jobs, mailing_view
from app.mail import Accepted, Unknown
from tests.ledger.makers import Told, audience_of, build, mailing_to, working
from tests.waiting import until

pytestmark = pytest.mark.anyio


async def finished(worker: Database, audience, mailing):
    async with worker.transaction(audience.account_id) as tx:
        view = await mailing_view(tx, mailing)
    assert view is not None
    figures = view.figures
    assert (
        figures.audience == figures.to_go + figures.sent + figures.unknown + figures.failed + figures.skipped
    )
    return view if view.audited_at else None


async def test_everybody_gets_it_once_and_the_books_balance(web, worker, monkeypatch):
    """L1, L7: through the real mailbox."""
    monkeypatch.setenv("GODWIT_SEND_BATCH", "20")
    settings.cache_clear()
    audience = await audience_of(web, 130)
    mailing = await mailing_to(web, audience)
    await build(worker, audience, mailing)
    async with working(worker):
        view = await until(lambda: finished(worker, audience, mailing))
    assert (view.state, view.figures.sent) == ("finished", 130)
    assert view.audit is not None
    assert view.audit["balanced"] is True
    async with web.transaction() as tx:
        rows = await tx.rows(
            "select to_address, count(*) as n from mailbox.mail where account_id = :a group by 1",
            a=audience.account_id,
        )
    assert [row.n for row in rows] == [1] * 130


async def test_calls_without_an_answer_end_exactly_once_too(web, worker, monkeypatch):
    """L1, L4: calls that kept the mail, and calls that did not, both without an answer."""
    monkeypatch.setenv("GODWIT_SEND_BATCH", "10")
    monkeypatch.setenv("GODWIT_SEND_TIMEOUT", "1")
    settings.cache_clear()
    calls = 0

    def lost(mails) -> bool:
        nonlocal calls
        calls += 1
        return calls % 5 != 0

    provider = Told(
        keep=lost,
        answer=lambda mails: Unknown("cut") if calls % 5 == 0 or calls % 3 == 0 else Told().answer(mails),
    )
    monkeypatch.setattr(jobs, "current_provider", lambda: provider)
    audience = await audience_of(web, 150)
    mailing = await mailing_to(web, audience)
    await build(worker, audience, mailing)
    async with working(worker):
        view = await until(lambda: finished(worker, audience, mailing), seconds=30)
    assert (view.state, view.figures.sent) == ("finished", 150)
    addresses = [mail.to for mail in provider.taken]
    assert len(addresses) == len(set(addresses)) == 150
