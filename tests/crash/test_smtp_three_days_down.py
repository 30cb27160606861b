"""The mail server is down for three days with copies unknown: nothing is guessed, a person decides (L4)."""

import pytest

from app.fakes import Fault, fault_of
from app.ledger import resume
from app.testing.clock import advance
from tests.crash.crew import Terms
from tests.crash.smtp_mailings import SmtpMailing

pytestmark = pytest.mark.anyio
TERMS = Terms(smtp=True, settings={"SEND_RATE": "4"})
READERS, DAYS = 12, 3


async def test_down_for_three_days_it_waits_paused_and_the_unknown_for_a_person(mailing: SmtpMailing) -> None:
    """L1, L4, L10: four were handed over and not answered, of which the server kept two."""
    going_down = Fault("MAIL", "drop", after=4, times=None)
    mailing.server.order(fault_of("2x end drop kept"), fault_of("2x end drop"), going_down)
    await mailing.write_to(READERS)
    await mailing.shows(unknown=4)
    await mailing.server.stop()

    async def paused() -> bool:
        return (await mailing.view()).state == "paused"

    await mailing.all_of(paused)
    kept = await mailing.copies()
    async with mailing.web.transaction() as tx:
        await advance(tx, {"advance": DAYS * 86_400})
    await mailing.serve()
    view = await mailing.view()
    assert (view.state, view.figures.unknown) == ("paused", 4)
    assert await mailing.copies() == kept
    async with mailing.web.transaction(mailing.audience.account_id) as tx:
        await resume(tx, mailing.id)
    figures = await mailing.settled()
    assert (figures.sent, figures.unknown) == (READERS - 4, 4)
    await mailing.decides_by_the_log()
    await mailing.each_has_one_by_the_log()
