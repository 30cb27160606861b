"""Readers whom a mail server puts off each time they are tried."""

from collections.abc import AsyncIterator

import pytest

from app.base.database import Database
from app.base.settings import Settings
from app.fakes import FakeSmtp, Fault
from app.mail import current_provider
from tests.ledger.makers import audience_of, build, figures_of, mailing_to, working
from tests.smtp.makers import a_server, in_settings
from tests.waiting import until

pytestmark = pytest.mark.anyio
_FIRST = "select email from reader order by id limit 12"


@pytest.fixture
async def fake(settings_env: Settings, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[FakeSmtp]:
    async with a_server() as made:
        in_settings(made, monkeypatch, SEND_RATE="20")
        yield made
        await current_provider().aclose()


async def test_who_is_put_off_each_time_keeps_nobody_else_waiting(
    fake: FakeSmtp, web: Database, worker: Database
) -> None:
    """E10: the first twelve of forty are never taken; the others have theirs at the usual rate."""
    audience = await audience_of(web, 40)
    async with web.transaction(audience.account_id) as tx:
        first = [row.email for row in await tx.rows(_FIRST)]
    grey = [Fault("RCPT", "say", text="450 4.7.1 Greylisted", to=to, times=None) for to in first]
    fake.order(*grey)
    mailing = await mailing_to(web, audience)
    await build(worker, audience, mailing)

    async def others_sent() -> bool:
        found = await figures_of(worker, audience, mailing)
        return found.sent == 28

    async def all_sent() -> bool:
        return (await figures_of(worker, audience, mailing)).sent == 40

    async with working(worker):
        await until(others_sent, seconds=20)
        assert {mail.recipient for mail in fake.kept}.isdisjoint(first)
        fake.faults.clear()
        await until(all_sent, seconds=20)
    assert len(fake.kept) == 40
