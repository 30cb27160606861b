"""Three workers at the same rows, one of them killed; lanes whose jobs are all ready at once (E3)."""

import signal
from itertools import pairwise

from tests.crash.yard import Yard
from tests.jobs.makers import lines

LANES, IN_A_LANE, ALONE = 5, 6, 60


async def test_each_job_is_done_once_and_of_a_lane_one_after_the_other(yard: Yard) -> None:
    """E3, E4, E2: whoever claims, nothing is in two hands, and a lane keeps the order it was made in."""
    for lane in range(LANES):
        await yard.notes(*(f"{lane}-{n}" for n in range(IN_A_LANE)), lane=f"lane-{lane}")
    await yard.notes(*(f"alone-{n}" for n in range(ALONE)))
    await yard.strike("kill", "after_claim", after=20)
    hands = [yard.hire() for _ in range(3)]
    for hand in hands:
        await hand.says("worker_started")
    await yard.struck()
    victim = await yard.asked("select pid from mailbox.fault")
    assert await yard.gone(next(hand for hand in hands if hand.pid == victim)) == -signal.SIGKILL
    await yard.quiet()
    assert [await hand.stop() for hand in hands if hand.pid != victim] == [0, 0]
    told = await yard.books()
    assert len(told) == LANES * IN_A_LANE + ALONE
    assert {tuple(one.outcomes) for one in told.values()} <= {("done",), ("lost", "done")}
    assert sum(one.outcomes[0] == "lost" for one in told.values()) in (1, 2)
    wrote = [line.split()[:2] for line in lines(yard.log)]
    for lane in range(LANES):
        words = [f"{lane}-{n}" for n in range(IN_A_LANE)]
        for before, after in pairwise(words):
            assert wrote.index(["end", before]) < wrote.index(["begin", after])
