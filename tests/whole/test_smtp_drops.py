"""An email through a worker's loops, over a server that drops at every step."""

from collections import Counter
from collections.abc import AsyncIterator

import pytest

from app.base.database import Database
from app.base.settings import Settings
from app.fakes import FakeSmtp, Fault
from app.ledger import Figures
from app.mail import current_provider
from tests.ledger.makers import audience_of, build, figures_of, mailing_to, working
from tests.mail.smtp_makers import a_server, in_settings
from tests.waiting import until

pytestmark = pytest.mark.anyio
_UNSURE = "select address from send where mailing_id = :mailing and state = 'unknown'"


@pytest.fixture
async def fake(settings_env: Settings, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[FakeSmtp]:
    """The server that the settings name; nobody waits for anything longer than two seconds."""
    async with a_server() as made:
        in_settings(made, monkeypatch, SMTP_DOT_TIMEOUT="2", SEND_TIMEOUT="3")
        yield made
        await current_provider().aclose()


async def test_500_readers_over_a_server_that_drops_at_every_step(
    fake: FakeSmtp, web: Database, worker: Database
) -> None:
    """It must show 2 (L1, L4): each at most once; the unsure are those lost after the dot, and listed."""
    before = [
        Fault(step, "drop", every=3 if n < 2 else 31, after=n, times=4)
        for n, step in enumerate(("greeting", "EHLO", "MAIL", "RCPT", "DATA", "body"))
    ]
    after = [
        Fault("end", "drop", every=40, kept=True, times=9),
        Fault("end", "drop", every=47, kept=False, times=7),
        Fault("end", "stall", every=150, kept=True, times=2),
    ]
    fake.order(*before, *after, Fault("end", "say", text="451 4.3.0 Later", every=60, times=5))
    audience = await audience_of(web, 500)
    mailing = await mailing_to(web, audience)
    await build(worker, audience, mailing)

    async def quiet() -> Figures | None:
        found = await figures_of(worker, audience, mailing)
        assert found.sent + found.unknown + found.to_go == 500
        return found if found.to_go == 0 else None

    async with working(worker):
        figures = await until(quiet, seconds=60)
    assert [fault.fired for fault in fake.faults] == [4, 4, 4, 4, 4, 4, 9, 7, 2, 5]
    lost = [address for fault in after for address in fault.hit]
    assert len(lost) == 18
    assert (figures.sent, figures.unknown) == (482, 18)
    async with worker.transaction(audience.account_id) as tx:
        unsure = [row.address for row in await tx.rows(_UNSURE, mailing=mailing)]
    assert sorted(unsure) == sorted(lost)
    copies = Counter(mail.recipient for mail in fake.kept)
    assert max(copies.values()) == 1
    assert len(copies) == 482 + 9 + 2
    assert {mail.recipient for mail in fake.kept if not mail.answered} == {*after[0].hit, *after[2].hit}
