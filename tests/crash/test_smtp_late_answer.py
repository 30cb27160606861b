"""A worker freezes with a mail server's yes in hand, past its time: what it then says is evidence (L1)."""

import pytest

from app.ledger import possible_doubles
from tests.crash.crew import Terms
from tests.crash.mailings import SENDS
from tests.crash.smtp_mailings import SmtpMailing

pytestmark = pytest.mark.anyio
TERMS = Terms(smtp=True)


@pytest.fixture
async def frozen(mailing: SmtpMailing) -> int:
    """One reader, whose copy the server has: who knows it is frozen, to all others it is unknown."""
    await mailing.strike("stop", "ledger", "after_talk", SENDS)
    await mailing.write_to(1)
    [pid] = await mailing.struck()
    await mailing.over(pid)
    await mailing.shows(unknown=1)
    return pid


async def test_it_settles_what_nobody_decided_yet(mailing: SmtpMailing, frozen: int) -> None:
    """L1, L4: sent, in one copy, without a person."""
    await mailing.woken(frozen)
    await mailing.shows(sent=1)
    await mailing.each_has_one_by_the_log()


async def test_it_makes_known_that_a_person_had_it_sent_twice(mailing: SmtpMailing, frozen: int) -> None:
    """L1: sent again by a person who could not know better; the double is named, and not counted twice."""
    await mailing.decides("planned", list((await mailing.unsure()).values()))
    await mailing.audited()
    await mailing.woken(frozen)
    assert list((await mailing.copies()).values()) == [2], "what the server has"
    view = await mailing.audited()
    assert (view.state, view.figures.sent) == ("finished", 1)

    async def named() -> bool:
        async with mailing.web.transaction(mailing.audience.account_id) as tx:
            return len(await possible_doubles(tx, mailing.id)) == 1

    await mailing.all_of(named)
