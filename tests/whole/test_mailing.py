"""A mailing from its start to its audit, by the loops and timers that workers run."""

from collections import Counter

import pytest

from app.base.database import Database
from app.base.settings import settings
from app.ledger import mailing_view
from tests.ledger.makers import audience_of, build, mailing_to, working
from tests.waiting import until

pytestmark = pytest.mark.anyio
_SLOW = "insert into mailbox.fault (kind, delay, after, times) values ('slow', :delay, :after, 3)"


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
    """L1, L4: calls that kept the mail, and calls that did not, both cut off before they answered."""
    monkeypatch.setenv("GODWIT_SEND_BATCH", "10")
    monkeypatch.setenv("GODWIT_SEND_TIMEOUT", "2")
    settings.cache_clear()
    async with web.transaction() as tx:
        # Half the delay passes before the mail is kept, half after: cut off after it, and before it.
        for delay, after in ((2.4, 0), (6.0, 3)):
            await tx.execute(_SLOW, delay=delay, after=after)
    audience = await audience_of(web, 150)
    mailing = await mailing_to(web, audience)
    await build(worker, audience, mailing)
    async with working(worker):
        view = await until(lambda: finished(worker, audience, mailing), seconds=30)
    assert (view.state, view.figures.sent) == ("finished", 150)
    async with web.transaction() as tx:
        kept = await tx.rows(
            "select count(*) as n from mailbox.mail where account_id = :a group by to_address",
            a=audience.account_id,
        )
        await tx.execute("delete from mailbox.fault")
    assert [row.n for row in kept] == [1] * 150
    async with web.transaction(audience.account_id) as tx:
        lost = await tx.rows("select reason from batch where state = 'resolved'")
    # A call that a slow machine cuts off as well is asked about like the others.
    found = Counter(row.reason for row in lost)
    assert found.keys() == {"the provider's record has 0 of 10", "the provider's record has 10 of 10"}
    assert min(found.values()) >= 3
