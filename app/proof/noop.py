"""A kind of job that does nothing, in a queue of its own: what the engine costs by itself.

Known only to a process that says so, while it says so: nobody else has such a queue.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

from app.jobs import QUEUES, Done, Outcome, Work, handles, job

NOTHING = "nothing"
#: Handlers at once: they wait for nobody, so a claim can be as large as the best of the others take.
SLOTS = 1024


@dataclass(frozen=True)
class DoNothing:
    """One of many."""

    number: int


async def do_nothing(work: Work, args: DoNothing) -> Outcome:
    """Nothing."""
    return Done()


@contextmanager
def known() -> Iterator[None]:
    """Have the queue, the kind and its handler meanwhile."""
    QUEUES[NOTHING] = SLOTS
    try:
        _learn()
        yield
    finally:
        del QUEUES[NOTHING]


@cache
def _learn() -> None:
    job("do_nothing", queue=NOTHING)(DoNothing)
    handles(DoNothing)(do_nothing)
