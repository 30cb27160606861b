"""The states of a publication that waits for its time.

waiting ──its time, or now──▶ done
   │  └──it cannot be──▶ failed
   └──cancel──▶ cancelled
"""

from enum import StrEnum


class ScheduledState(StrEnum):
    """Where a scheduled publication stands."""

    WAITING = "waiting"
    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"


MOVES: dict[ScheduledState, frozenset[ScheduledState]] = {
    ScheduledState.WAITING: frozenset({ScheduledState.DONE, ScheduledState.CANCELLED, ScheduledState.FAILED}),
    ScheduledState.DONE: frozenset(),
    ScheduledState.CANCELLED: frozenset(),
    ScheduledState.FAILED: frozenset(),
}
