"""A worker freezes where a permit's step is committed or about to be, past its time, two others beside it."""

import pytest

from tests.crash.mailings import BOUNDARIES, SENDS, Mailing

pytestmark = pytest.mark.anyio
READERS = 60


@pytest.mark.parametrize(("place", "at"), BOUNDARIES)
async def test_frozen_at_a_boundary_it_wakes_when_all_is_done_and_changes_nothing(
    mailing: Mailing, place: str, at: str
) -> None:
    """L1, L3, L4, E3, E4: the others finish without it; what it then does or brings is late, and dropped."""
    await mailing.strike("stop", place, at, SENDS)
    await mailing.write_to(READERS)
    [frozen] = await mailing.struck()
    await mailing.over(frozen)
    await mailing.each_has_one()
    await mailing.woken(frozen)
    await mailing.each_has_one()


@pytest.mark.parametrize(("place", "at"), [("ledger", "after_talk"), ("ledger", "before_settle")])
async def test_an_answer_that_comes_late_while_nobody_decided_yet_is_evidence(
    mailing: Mailing, place: str, at: str
) -> None:
    """L1, L4: past its time it is unknown, the provider's record is away, the late answer settles it."""
    await mailing.strike("stop", place, at, SENDS)
    await mailing.write_to(10)
    [frozen] = await mailing.struck()
    await mailing.order("provider", "down")
    await mailing.lapsed(frozen)
    await mailing.shows(unknown=10)
    await mailing.woken(frozen)
    await mailing.shows(sent=10, unknown=0)
    async with mailing.owner.transaction() as tx:
        await tx.execute("delete from mailbox.fault where kind = 'down'")
    await mailing.each_has_one()
