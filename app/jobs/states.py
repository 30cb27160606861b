"""The states of a job and the one table of its legal moves (engine.md section 1).

The database refuses every other move (trigger `job_moves`), whoever writes the row; a test
compares the two.
"""

from enum import StrEnum


class JobState(StrEnum):
    """Where a job is. Done, superseded and discarded are final."""

    READY = "ready"
    LEASED = "leased"
    HELD = "held"
    DONE = "done"
    DEAD = "dead"
    SUPERSEDED = "superseded"
    DISCARDED = "discarded"


FINAL = frozenset({JobState.DONE, JobState.SUPERSEDED, JobState.DISCARDED})

MOVES: dict[JobState, frozenset[JobState]] = {
    JobState.READY: frozenset({JobState.LEASED, JobState.HELD, JobState.SUPERSEDED, JobState.DISCARDED}),
    JobState.LEASED: frozenset(
        {
            JobState.DONE,
            JobState.READY,
            JobState.DEAD,
            JobState.HELD,
            JobState.SUPERSEDED,
            JobState.DISCARDED,
        }
    ),
    JobState.HELD: frozenset(
        {JobState.DONE, JobState.DEAD, JobState.READY, JobState.SUPERSEDED, JobState.DISCARDED}
    ),
    JobState.DEAD: frozenset({JobState.READY, JobState.SUPERSEDED, JobState.DISCARDED}),
    JobState.DONE: frozenset(),
    JobState.SUPERSEDED: frozenset(),
    JobState.DISCARDED: frozenset(),
}
