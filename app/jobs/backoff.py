"""When a failed job is tried again: full jitter under a doubling cap.

Full jitter (a uniform draw below the cap) keeps a thousand jobs that failed together from
coming back together.
"""

import random
from dataclasses import dataclass


@dataclass(frozen=True)
class Backoff:
    """`first` and `most` are seconds: the cap of the first wait, and of any."""

    first: float = 30
    most: float = 3600

    def after(self, attempts: int) -> float:
        """Seconds to wait after the given number of failed attempts (1 or more)."""
        cap = min(self.most, self.first * 2 ** min(attempts - 1, 30))
        return random.uniform(cap / 10, cap)


#: Five tries, doubling from 30 s.
DEFAULT = Backoff()
#: Someone waits: a code is tried again within seconds.
PROMPT = Backoff(first=1, most=10)
