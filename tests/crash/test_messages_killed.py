"""A worker is killed with a code or a message in hand, two others beside it (M2, L4, L6)."""

import pytest

from tests.crash.crew import Terms
from tests.crash.letters import BOUNDARIES, JOBS, Kind, Letter

pytestmark = pytest.mark.anyio
TERMS = Terms("codes_creators,messages")


@pytest.mark.parametrize(("place", "at"), BOUNDARIES)
@pytest.mark.parametrize("kind", ["code", "message"])
async def test_killed_at_a_boundary_it_arrives_and_only_a_code_comes_twice(
    letter: Letter, kind: Kind, place: str, at: str
) -> None:
    """M2, E2, L4, L6: a code is sent again at once, the same; for a message the record is asked first."""
    await letter.strike("kill", place, at, JOBS[kind])
    await letter.write(kind)
    [dead] = await letter.struck()
    await letter.over(dead)
    await letter.becomes("done")
    copies = await letter.copies()
    handed_over = (place, at) in (("messages", "after_talk"), ("jobs", "before_settle"))
    assert len(copies) == (2 if kind == "code" and handed_over else 1)
    assert len(set(copies)) == 1
