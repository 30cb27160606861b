"""A kind of job that does nothing, in a queue of its own: what the engine costs by itself.

Known only to a process that says so: nobody else has such a queue.
"""

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


@cache
def known() -> None:
    """Know the queue, the kind and its handler from here on."""
    QUEUES[NOTHING] = SLOTS
    job("do_nothing", queue=NOTHING)(DoNothing)
    handles(DoNothing)(do_nothing)
