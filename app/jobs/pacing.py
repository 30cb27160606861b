"""How much of a queue one share may have at this worker, by how it answers: none slows the others (E10).

Where a handler waits for a stranger (a webhook's endpoint) and slots are cheap, a share begins with a few,
gets more while its jobs end quickly, few when they are slow, and one while any of them keeps us waiting. A
hint of this process alone: forgotten, a share begins anew.
"""

import time
from collections import OrderedDict

#: Queues that are paced; in the others no share holds more than three quarters of the slots.
PACED = frozenset({"webhooks"})
#: Leases of a share at the beginning, at most, and once it is slow.
FIRST, MOST = 4, 32
#: Seconds after which a job is slow, and after which its share gets no other beside it.
SLOW, STUCK = 1.0, 5.0
#: Shares whose pace is remembered.
_REMEMBERED = 1000


class Pace:
    """The pace of each share of one queue, as this worker has met it."""

    def __init__(self) -> None:
        self._room: OrderedDict[str, int] = OrderedDict()
        self._since: dict[int, tuple[str, float]] = {}

    def began(self, lease: int, share: str) -> None:
        """A job of this share is in hand from now on; one may be twice, under an old lease and a new one."""
        self._since[lease] = share, time.monotonic()

    def ended(self, lease: int) -> None:
        """And now it is over."""
        share, since = self._since.pop(lease)
        took = time.monotonic() - since
        before = self._room.pop(share, FIRST)
        self._room[share] = (
            1 if took > STUCK else min(FIRST, before) if took > SLOW else min(MOST, before * 2)
        )
        if len(self._room) > _REMEMBERED:
            self._room.popitem(last=False)

    def room(self) -> dict[str, int]:
        """Leases each share may hold at this worker; those that are not named: FIRST."""
        found = dict(self._room)
        now = time.monotonic()
        for share, since in self._since.values():
            if now - since > SLOW:
                found[share] = min(found.get(share, FIRST), 1 if now - since > STUCK else FIRST)
        return found
