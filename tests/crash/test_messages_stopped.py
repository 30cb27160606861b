"""A worker freezes with a code or a message in hand, past its lease, two others beside it (E3, E4, L4)."""

import pytest

from tests.crash.crew import Terms
from tests.crash.letters import BOUNDARIES, JOBS, Kind, Letter

pytestmark = pytest.mark.anyio
TERMS = Terms("codes_creators,messages")


@pytest.mark.parametrize(("place", "at"), BOUNDARIES)
@pytest.mark.parametrize("kind", ["code", "message"])
async def test_frozen_at_a_boundary_it_hands_nothing_over_when_it_wakes(
    letter: Letter, kind: Kind, place: str, at: str
) -> None:
    """E3, E4, L4: another had the job meanwhile; the frozen one's lease and time are over."""
    await letter.strike("stop", place, at, JOBS[kind])
    await letter.write(kind)
    [frozen] = await letter.struck()
    await letter.over(frozen)
    await letter.becomes("done")
    before = await letter.copies()
    await letter.woken(frozen)
    assert await letter.copies() == before
    handed_over = (place, at) in (("messages", "after_talk"), ("jobs", "before_settle"))
    assert len(before) == (2 if kind == "code" and handed_over else 1)
    row = await letter.row()
    assert row.state == "done"
    assert len(row.late) == (at != "after_settle"), "what it brought is on record, and late"
