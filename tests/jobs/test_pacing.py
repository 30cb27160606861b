"""E10: a share that keeps us waiting has few leases, one that answers quickly has more."""

import pytest

from app.jobs import pacing
from app.jobs.pacing import FIRST, MOST, Pace


class Clock:
    """`time.monotonic`, moved by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(pacing, "time", made)
    return made


def took(pace: Pace, clock: Clock, share: str, seconds: float, job: int = 1) -> None:
    pace.began(job, share)
    clock.now += seconds
    pace.ended(job)


async def test_a_share_that_answers_quickly_gets_more_up_to_a_bound(clock: Clock) -> None:
    pace = Pace()
    for wanted in (FIRST * 2, FIRST * 4, MOST, MOST):
        took(pace, clock, "quick", 0.01)
        assert pace.room() == {"quick": wanted}


async def test_a_slow_one_is_back_at_the_beginning_and_one_that_hangs_has_one(clock: Clock) -> None:
    pace = Pace()
    for _ in range(5):
        took(pace, clock, "endpoint", 0.01)
    took(pace, clock, "endpoint", 2.5)
    assert pace.room() == {"endpoint": FIRST}
    took(pace, clock, "endpoint", 15)
    assert pace.room() == {"endpoint": 1}
    took(pace, clock, "endpoint", 0.01)
    assert pace.room() == {"endpoint": 2}


async def test_what_is_still_in_hand_counts_by_how_long_it_is_out(clock: Clock) -> None:
    """Nobody waits for a time-out to see that an endpoint hangs."""
    pace = Pace()
    for _ in range(5):
        took(pace, clock, "endpoint", 0.01)
    pace.began(2, "endpoint")
    assert pace.room() == {"endpoint": MOST}
    clock.now += 1.5
    assert pace.room() == {"endpoint": FIRST}
    clock.now += 5
    assert pace.room() == {"endpoint": 1}
    pace.began(3, "other")
    assert pace.room() == {"endpoint": 1}, "each for itself"


async def test_shares_long_not_met_are_forgotten(clock: Clock) -> None:
    pace = Pace()
    for n in range(3000):
        took(pace, clock, f"endpoint:{n}", 0.01)
    assert len(pace.room()) == 1000
