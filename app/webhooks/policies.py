"""How often a delivery is tried, and when: one table, by the type of its event."""

import random
from dataclasses import dataclass

_MINUTE, _HOUR = 60, 3600


@dataclass(frozen=True)
class Policy:
    """`waits`: seconds after each failed try, at most; the last try has none after it."""

    waits: tuple[float, ...]

    @property
    def tries(self) -> int:
        """How often it is tried, all in all."""
        return len(self.waits) + 1

    @property
    def window(self) -> float:
        """Seconds from the first try to the last, at most: so long a receiver may put us off, too."""
        return sum(self.waits)

    def after(self, attempts: int) -> float:
        """Seconds to wait after that many failed tries. Drawn between half and all of the table's, so that
        those who failed together do not come back together."""
        most = self.waits[min(attempts, len(self.waits)) - 1]
        return random.uniform(most / 2, most)


#: Five within the hour: after that hour a newer release is likelier than an answer.
RELEASES = Policy((30, 2 * _MINUTE, 10 * _MINUTE, 40 * _MINUTE))
#: Ten within three days: a server that is down over the weekend has them on Monday.
OTHERS = Policy(
    (
        *(10, _MINUTE, 5 * _MINUTE, 30 * _MINUTE),
        *(2 * _HOUR, 5 * _HOUR, 10 * _HOUR, 20 * _HOUR, 30 * _HOUR),
    )
)
#: Somebody is watching.
TESTS = Policy((5, 20))

BY_TYPE = {"release.published": RELEASES, "endpoint.test": TESTS}


def policy_for(type: str) -> Policy:
    """How deliveries of this type of event are tried."""
    return BY_TYPE.get(type, OTHERS)
