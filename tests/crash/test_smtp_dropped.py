"""A mail server hangs up at a step, and a worker is killed with answers in hand: a person decides (L4)."""

import pytest

from app.fakes import fault_of
from tests.crash.crew import Terms
from tests.crash.mailings import SENDS
from tests.crash.smtp_mailings import SmtpMailing

pytestmark = pytest.mark.anyio
TERMS = Terms(smtp=True)
READERS = 12


@pytest.mark.parametrize(
    "order",
    [
        "2x DATA drop",
        "2x body drop",
        "2x end drop",
        "2x end drop kept",
        "2x end stall kept",
        "2x RCPT say 450 4.7.1 Greylisted",
        "2x end say 451 4.3.0 Later",
        "2x MAIL say 421 4.3.2 Shutting down",
        "2x end slow 1",
    ],
)
async def test_dropped_and_killed_what_nobody_knows_waits_for_a_person(
    mailing: SmtpMailing, order: str
) -> None:
    """L1, L3, L4: what is unknown is not sent again before somebody says so, who looked into the log."""
    fault = fault_of(order)
    mailing.server.order(fault)
    await mailing.strike("kill", "ledger", "after_talk", SENDS)
    await mailing.write_to(READERS)
    [dead] = await mailing.struck()
    await mailing.over(dead)
    figures = await mailing.settled()
    assert fault.fired == 2
    assert max((await mailing.copies()).values()) == 1, "nothing was sent again on a guess"
    assert figures.unknown >= 1, "whoever is killed with an answer in hand cannot tell"
    assert figures.sent + figures.unknown == READERS
    await mailing.decides_by_the_log()
    await mailing.each_has_one_by_the_log()
