"""How much of a queue each share may have at this worker, by how it answers: none slows the others (E10).

Where a handler waits for a stranger (a webhook's endpoint) and slots are cheap, a share begins with a few,
gets more while its jobs end quickly, few when they are slow, and one while any of them keeps us waiting.
Those of which nobody knows that they answer have a part of the slots together, and an account a part of that:
many that hang hold up neither those that answer nor another account's. What waits for no stranger has places
of its own. A hint of this process alone: forgotten, a share begins anew.
"""

import time
from collections import Counter, OrderedDict
from collections.abc import Container, Mapping, Sequence, Set
from dataclasses import dataclass

#: Queues that are paced; in the others no share holds more than three quarters of the slots.
PACED = frozenset({"webhooks"})
#: Leases of a share at the beginning, at most, and once it is slow.
FIRST, MOST = 4, 32
#: Seconds after which a job is slow, and after which its share gets no other beside it.
SLOW, STUCK = 1.0, 5.0
#: Places for jobs that wait for no stranger, beside the queue's slots; and how many of them a share has.
AT_HOME, OF_ONE_AT_HOME = 8, 2
#: Part of the slots that shares which are slow, or not known yet, have together; and of those an account. No
#: account has more than half of what the others leave, of the one or of the other.
UNPROVEN, UNPROVEN_OF_ACCOUNT = 3 / 4, 3 / 32
#: Shares whose pace is remembered.
_REMEMBERED = 10_000


@dataclass(frozen=True)
class Due:
    """A share with a job that is due. `abroad`: that job waits for a stranger."""

    share: str
    account: int
    abroad: bool


@dataclass(frozen=True)
class _InHand:
    due: Due
    since: float


class Pace:
    """The pace of each share of one queue with so many slots, as this worker has met it."""

    def __init__(self, slots: int) -> None:
        self._slots = slots
        self._room: OrderedDict[str, int] = OrderedDict()
        self._slow: set[str] = set()
        self._in_hand: dict[int, _InHand] = {}

    def began(self, lease: int, due: Due) -> None:
        """A job of this share is in hand from now on; one may be twice, under an old lease and a new one."""
        self._in_hand[lease] = _InHand(due, time.monotonic())

    def ended(self, lease: int) -> None:
        """And now it is over."""
        one = self._in_hand.pop(lease)
        share, took = one.due.share, time.monotonic() - one.since
        self._room[share] = _room_after(self._room.pop(share, FIRST), took)
        (self._slow.add if took > SLOW else self._slow.discard)(share)
        if len(self._room) > _REMEMBERED:
            self._slow.discard(self._room.popitem(last=False)[0])

    def room(self) -> dict[str, int]:
        """Leases each share may hold by its own pace; those that are not named: FIRST."""
        found = dict(self._room)
        now = time.monotonic()
        for one in self._in_hand.values():
            if (waits := now - one.since) > SLOW:
                share = one.due.share
                found[share] = min(found.get(share, FIRST), _room_after(FIRST, waits))
        return found

    def free(self) -> int:
        """Jobs that may still be begun, at most."""
        abroad = sum(one.due.abroad for one in self._in_hand.values())
        return max(0, self._slots - abroad) + max(0, AT_HOME + abroad - len(self._in_hand))

    def shared_out(self, due: Sequence[Due]) -> dict[str, int]:
        """Leases that each of these may hold now, given in the order of their turns; not named: none."""
        found = self._at_home(due)
        abroad = [one.due for one in self._in_hand.values() if one.due.abroad]
        doubtful = self._doubtful()
        known, unknown = _parted(due, doubtful, self._room)
        among = _Among(self.room(), Counter(one.share for one in abroad))
        held = Counter(one.account for one in abroad)
        for account, shares in known.items():
            left = self._slots - len(abroad) + held[account]
            found |= among.give(shares, left // 2 - held[account])
        unproven = Counter(one.account for one in abroad if _unproven(one, doubtful, self._room))
        left = min(int(self._slots * UNPROVEN) - unproven.total(), self._slots - len(abroad))
        for account in sorted(unknown, key=lambda one: unproven[one]):
            most = min(int(self._slots * UNPROVEN_OF_ACCOUNT) - unproven[account], max(1, left // 2), left)
            given = among.give(unknown[account], most)
            left -= sum(room - among.held[share] for share, room in given.items())
            found |= given
        return found

    def _at_home(self, due: Sequence[Due]) -> dict[str, int]:
        held = Counter(one.due.share for one in self._in_hand.values() if not one.due.abroad)
        left, found = AT_HOME - held.total(), dict[str, int]()
        for one in due:
            if not one.abroad and (more := min(OF_ONE_AT_HOME - held[one.share], left)) > 0:
                found[one.share] = held[one.share] + more
                left -= more
        return found

    def _doubtful(self) -> set[str]:
        """Shares that were slow the last time, or keep us waiting now."""
        now = time.monotonic()
        return self._slow | {one.due.share for one in self._in_hand.values() if now - one.since > SLOW}


@dataclass(frozen=True)
class _Among:
    """What shares may have by their pace, and what they hold."""

    pace: Mapping[str, int]
    held: Counter[str]

    def give(self, shares: Sequence[str], most: int) -> dict[str, int]:
        """So many leases more, to each as many; the first go before when there are fewer than shares."""
        found: dict[str, int] = {}
        each = max(1, most // len(shares))
        for share in shares:
            more = min(self.pace.get(share, FIRST) - self.held[share], each, most)
            if more > 0:
                found[share] = self.held[share] + more
                most -= more
        return found


def _unproven(one: Due, doubtful: Set[str], known: Container[str]) -> bool:
    return one.share in doubtful or one.share not in known


def _parted(
    due: Sequence[Due], doubtful: Set[str], known: Container[str]
) -> tuple[dict[int, list[str]], dict[int, list[str]]]:
    """The shares that answer, by account; and the others, those not known yet before the slow ones."""
    proven: dict[int, list[str]] = {}
    others: dict[int, list[str]] = {}
    for one in sorted(due, key=lambda one: one.share in doubtful):
        if one.abroad:
            part = others if _unproven(one, doubtful, known) else proven
            part.setdefault(one.account, []).append(one.share)
    return proven, others


def _room_after(before: int, took: float) -> int:
    if took > STUCK:
        return 1
    return min(FIRST, before) if took > SLOW else min(MOST, before * 2)
