"""The ledger waits for the answer to a final dot for as long as SMTP may take, not as long as a call may."""

from collections.abc import AsyncIterator

import pytest

from app.base.database import Database
from app.base.settings import Settings
from app.fakes import FakeSmtp, Fault
from app.jobs import Done
from app.ledger.feeder import DeliverSends
from app.ledger.jobs import deliver_sends
from app.mail import current_provider
from tests.ledger.makers import audience_of, build, figures_of, mailing_to, permit, state_of
from tests.smtp.makers import a_server, in_settings

pytestmark = pytest.mark.anyio


@pytest.fixture
async def fake(settings_env: Settings, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[FakeSmtp]:
    async with a_server() as made:
        in_settings(made, monkeypatch, SEND_TIMEOUT="2", SMTP_DOT_TIMEOUT="20")
        yield made
        await current_provider().aclose()


async def test_an_answer_after_the_calls_own_time_settles_the_copy_as_sent(
    fake: FakeSmtp, web: Database, worker: Database
) -> None:
    """Field case A: the dot was written in time, and the server takes longer than a call may to say yes."""
    fake.order(Fault("end", "slow", delay=2.3))
    audience = await audience_of(web, 1)
    mailing = await mailing_to(web, audience)
    await build(worker, audience, mailing)
    work = await permit(worker, audience, args := DeliverSends(mailing, 1))
    assert await deliver_sends(work, args) == Done()
    figures = await figures_of(worker, audience, mailing)
    assert (figures.sent, figures.unknown) == (1, 0)
    assert await state_of(worker, audience, mailing) == "finished"
    assert len(fake.kept) == 1
