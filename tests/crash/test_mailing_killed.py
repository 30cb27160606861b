"""A worker is killed where a permit's step is committed or about to be, two others beside it (L1-L4, E2)."""

import pytest

from tests.crash.mailings import BOUNDARIES, SENDS, Mailing

pytestmark = pytest.mark.anyio
READERS = 60


@pytest.mark.parametrize(("place", "at"), BOUNDARIES)
async def test_killed_at_a_boundary_with_two_beside_everybody_gets_one(
    mailing: Mailing, place: str, at: str
) -> None:
    """L1, L3, L4, E2: what it had in hand is finished by the others, or by the record."""
    await mailing.strike("kill", place, at, SENDS)
    await mailing.write_to(READERS)
    [dead] = await mailing.struck()
    await mailing.over(dead)
    await mailing.each_has_one()


@pytest.mark.parametrize("job", ["look_up_batch", "audit_mailing"])
@pytest.mark.parametrize("at", ["after_claim", "before_settle", "after_settle"])
async def test_killed_while_it_reconciles_the_record_is_asked_by_another(
    mailing: Mailing, job: str, at: str
) -> None:
    """L1, L4, E2: the answer to one call is lost, and then whoever was to ask about it."""
    await mailing.order("provider", "accept_then_drop", times=1)
    await mailing.strike("kill", "jobs", at, job)
    await mailing.write_to(READERS)
    [dead] = await mailing.struck()
    await mailing.over(dead)
    await mailing.each_has_one()
