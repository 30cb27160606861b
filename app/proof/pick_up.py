"""How soon an idle worker takes up what is made: woken by the bell, or by its timer alone."""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path

from app.base.database import Database
from app.base.settings import settings
from app.jobs import enqueue
from app.proof.drains import NO_REDIS, Worker, forgotten, worker
from app.proof.figures import Figure, Scale
from app.proof.noop import DoNothing
from app.proof.waiting import seconds_until

_MEDIAN, _P99 = 0.025, 0.100
#: Without Redis: one sweep, and the claim.
_CLAIM = 0.1
#: Seconds between two jobs: the worker is idle again, and they meet its timer anywhere.
_APART = 0.037
_MOST = 300


async def pick_ups(
    web: Database, owner: Database, folder: Path, accounts: Sequence[int], scale: Scale
) -> list[Figure]:
    """From the commit to the end of the claim that took the job."""
    await forgotten(owner)
    times = max(5, min(_MOST, scale.jobs // 500))
    async with worker(folder) as one:
        by_bell = await _times(web, one, accounts, times)
    async with worker(folder, NO_REDIS) as one:
        by_timer = await _times(web, one, accounts, max(5, times // 5))
    sweep = settings().sending.sweep
    return [
        Figure(
            "idle pick-up, median", (_quantile(by_bell, 0.5),), _MEDIAN, f"{times} jobs, one after the other"
        ),
        Figure("… p99", (_quantile(by_bell, 0.99),), _P99, "the same"),
        Figure(
            "… without Redis, p99",
            (_quantile(by_timer, 0.99),),
            sweep + _CLAIM,
            f"{len(by_timer)} jobs, found by the timer: every {sweep:g} s",
        ),
    ]


async def _times(web: Database, one: Worker, accounts: Sequence[int], times: int) -> list[float]:
    """The first is not counted: it waits for the worker to start."""
    found: list[float] = []
    for n in range(times + 1):
        async with web.transaction(accounts[n % len(accounts)]) as tx:
            await enqueue(tx, DoNothing(n))
            before = time.monotonic()
        since = time.monotonic()

        async def claimed(since: float = before) -> bool:
            return bool(one.claims(since))

        await seconds_until(claimed, "a job's being taken up")
        found.append(max(0.0, one.claims(before)[0].at - since))
        await asyncio.sleep(_APART)
    return found[1:]


def _quantile(times: list[float], part: float) -> float:
    return sorted(times)[min(len(times) - 1, int(len(times) * part))]
