"""What another queue is asked to do for a bench, and how fast it was; see peers.py."""

import asyncio
import time
from collections.abc import Awaitable, Callable

import msgspec

ENGINES = {"bare": "bare_jobs", "pgqueuer": "peer_pgqueuer", "procrastinate": "peer_procrastinate"}


class PeerOrder(msgspec.Struct):
    """`few` are made one by one, as many 16 at once; `jobs` in calls of 1,000, and drained by `batch`."""

    engine: str
    url: str
    jobs: int
    few: int
    batch: int


class PeerTally(msgspec.Struct):
    """Jobs a second; `missing` names what is not installed, then nothing was measured.

    `processor`: microseconds of the client's process for each job drained.
    """

    missing: str = ""
    one_by_one: float = 0.0
    sixteen: float = 0.0
    in_a_call: float = 0.0
    drained: float = 0.0
    processor: float = 0.0


class Peer:
    """What a queue must be able to do. A module of this slice has a `Peer` each; see ENGINES."""

    def __init__(self, url: str) -> None:
        self.url = url

    async def open(self) -> None:
        """Make its tables."""

    async def make(self) -> None:
        """One job, committed."""
        raise NotImplementedError

    async def make_many(self, number: int) -> None:
        """So many in one call."""
        raise NotImplementedError

    async def drain(self, batch: int) -> None:
        """Do all there are, and end."""
        raise NotImplementedError

    async def close(self) -> None:
        """Leave."""


AT_ONCE, IN_A_CALL = 16, 1000


async def paced(make: Callable[[], Awaitable[object]], number: int, at_once: int) -> float:
    """How many a second, so many at once."""
    left = number

    async def some() -> None:
        nonlocal left
        while left > 0:
            left -= 1
            await make()

    began = time.perf_counter()
    await asyncio.gather(*(some() for _ in range(at_once)))
    return number / (time.perf_counter() - began)
