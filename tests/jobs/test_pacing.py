"""E10: a share that keeps us waiting has few leases, one that answers quickly has more."""

from collections import Counter

import pytest

from app.jobs import pacing
from app.jobs.pacing import AT_HOME, FIRST, MOST, OF_ONE_AT_HOME, Due, Pace

SLOTS = 256


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
    pace.began(job, Due(share, 7, abroad=True))
    clock.now += seconds
    pace.ended(job)


async def test_a_share_that_answers_quickly_gets_more_up_to_a_bound(clock: Clock) -> None:
    pace = Pace(SLOTS)
    for wanted in (FIRST * 2, FIRST * 4, MOST, MOST):
        took(pace, clock, "quick", 0.01)
        assert pace.room() == {"quick": wanted}


async def test_a_slow_one_is_back_at_the_beginning_and_one_that_hangs_has_one(clock: Clock) -> None:
    pace = Pace(SLOTS)
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
    pace = Pace(SLOTS)
    for _ in range(5):
        took(pace, clock, "endpoint", 0.01)
    pace.began(2, Due("endpoint", 7, abroad=True))
    assert pace.room() == {"endpoint": MOST}
    clock.now += 1.5
    assert pace.room() == {"endpoint": FIRST}
    clock.now += 5
    assert pace.room() == {"endpoint": 1}
    pace.began(3, Due("other", 7, abroad=True))
    assert pace.room() == {"endpoint": 1}, "each for itself"


async def test_shares_long_not_met_are_forgotten(clock: Clock) -> None:
    pace = Pace(SLOTS)
    for n in range(12_000):
        took(pace, clock, f"endpoint:{n}", 0.01)
    assert len(pace.room()) == 10_000


def of(account: int, shares: int, *, abroad: bool = True) -> list[Due]:
    """So many shares of an account, each with something due."""
    return [Due(f"{account}:{n}", account, abroad) for n in range(shares)]


class Crowd:
    """What a worker has in hand when every share of `due` has as much to do as it may."""

    def __init__(self) -> None:
        self.pace = Pace(SLOTS)
        self.in_hand: list[tuple[int, Due]] = []
        self._leases = 0

    def begin(self, due: list[Due]) -> int:
        """Claim until nothing more is given; how many were begun."""
        begun = 0
        while given := self._given(due):
            for one in given[: self.pace.free()]:
                self._leases += 1
                self.in_hand.append((self._leases, one))
                self.pace.began(self._leases, one)
                begun += 1
        return begun

    def end(self) -> None:
        """All of it is over now."""
        for lease, _ in self.in_hand:
            self.pace.ended(lease)
        self.in_hand = []

    def _given(self, due: list[Due]) -> list[Due]:
        if not self.pace.free():
            return []
        room = self.pace.shared_out(due)
        held = Counter(one.share for _, one in self.in_hand)
        return [one for one in due for _ in range(room.get(one.share, 0) - held[one.share])]


async def test_accounts_whose_endpoints_all_hang_leave_room_for_one_that_comes_new(clock: Clock) -> None:
    """E10: at the beginning, and once it is known that they hang; for what answers there is far more."""
    crowd, bad = Crowd(), [one for account in range(1, 7) for one in of(account, 50)]
    for _ in range(3):
        taken = crowd.begin(bad)
        assert taken <= SLOTS * 3 / 4
        assert max(Counter(one.account for _, one in crowd.in_hand).values()) <= SLOTS / 10
        assert crowd.begin(of(77, 1)) >= 1
        clock.now += 15
        assert crowd.begin(bad) == 0, "who hangs has one, and an account no more than its part"
        assert crowd.begin(of(78, 1)) >= 1
        crowd.end()


async def test_however_many_accounts_hang_those_that_answer_have_room(clock: Clock) -> None:
    crowd = Crowd()
    crowd.begin(of(77, 2))
    crowd.end()
    crowd.begin([one for account in range(100, 400) for one in of(account, 3)])
    assert crowd.begin(of(77, 2)) >= 32


async def test_an_account_that_answered_and_hangs_all_at_once_has_half(clock: Clock) -> None:
    crowd, good = Crowd(), of(7, 50)
    for _ in range(6):
        crowd.begin(good)
        crowd.end()
    assert crowd.begin(good) == SLOTS / 2
    clock.now += 15
    assert crowd.begin(of(8, 1)) >= 1


async def test_each_share_of_an_account_has_one_before_any_has_two(clock: Clock) -> None:
    crowd = Crowd()
    crowd.begin(of(7, 20))
    shares = Counter(one.share for _, one in crowd.in_hand)
    assert (len(shares), max(shares.values())) == (20, 2)


async def test_what_waits_for_no_stranger_has_places_of_its_own(clock: Clock) -> None:
    """E10: a fan-out does not wait for endpoints, and they do not wait for fan-outs."""
    crowd = Crowd()
    good = [one for account in range(1, 20) for one in of(account, 50)]
    for _ in range(6):
        crowd.begin(good)
        crowd.end()
    crowd.begin(good)
    crowd.begin([one for account in range(20, 600) for one in of(account, 1)])
    assert SLOTS <= len(crowd.in_hand) <= SLOTS + AT_HOME
    assert crowd.begin([Due(str(n), n, abroad=False) for n in range(20)]) == AT_HOME
    crowd = Crowd()
    assert crowd.begin([Due("7", 7, abroad=False)]) == OF_ONE_AT_HOME
    assert crowd.begin(of(7, 1)) == FIRST
