"""How long things took, kept in a few thousand numbers however many they were."""

import math
from collections.abc import Mapping

_LEAST = 1e-5
_STEP = math.log(1.01)


class Spread:
    """Times in seconds, each known to one percent from 10 µs on. It does not grow with what is added."""

    def __init__(self, counted: Mapping[int, int] | None = None) -> None:
        self.counted = dict(counted or {})

    def add(self, seconds: float) -> None:
        """One more time."""
        bucket = math.ceil(math.log(max(seconds, _LEAST) / _LEAST) / _STEP)
        self.counted[bucket] = self.counted.get(bucket, 0) + 1

    def join(self, other: "Spread") -> None:
        """All of the other's times too."""
        for bucket, times in other.counted.items():
            self.counted[bucket] = self.counted.get(bucket, 0) + times

    @property
    def count(self) -> int:
        """How many."""
        return sum(self.counted.values())

    def quantile(self, part: float) -> float:
        """So many of all (0.99) took at most this long; 0 when there are none."""
        left = part * self.count
        for bucket in sorted(self.counted):
            left -= self.counted[bucket]
            if left <= 0:
                return _LEAST * math.exp(bucket * _STEP)
        return 0.0
