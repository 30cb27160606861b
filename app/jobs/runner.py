"""One queue's loop in one process: claim what is due, handle it, settle it, until told to stop.

Woken by the bell, and by its own timer every GODWIT_SWEEP. The arq job that carries the
bell only wakes this loop, so no time-out of arq's can cut a handler short.
"""

import asyncio
import os
import secrets
import socket
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from app.base import failpoints, telemetry
from app.base.database import Database
from app.base.insisting import insist
from app.base.settings import settings
from app.base.telemetry import Trouble, log
from app.base.together import Together
from app.jobs import bell, counting, leases, pacing
from app.jobs.deadlines import Deadlines
from app.jobs.handling import outcome_of
from app.jobs.looking_back import LATE_COMMIT, LookingBack
from app.jobs.outcomes import Outcome
from app.jobs.registry import QUEUES, ClaimedJob, Work, deadlines_late, handled_kinds, kind_named
from app.jobs.settling import settlement

#: At most so many jobs of one share in one claim (more where slots are very many); of one that is paced, what
#: its pace allows.
PER_SHARE = 4
#: Shares of a paced queue that are looked at for one claim.
MOST_SHARES = 5000
#: Seconds after a claim that failed until the next: the ring that asked for it does not come again.
AGAIN = 1.0
#: Jobs that one claim takes at most, where there are so many slots: the next is under way while these end.
MOST_CLAIMED = 500
#: Seconds from a ring for help to the next: other workers are awake by then, or there are none.
HELP = 0.25
#: Seconds from a claim that took all there was until the next: at full speed jobs come one by one, and a
#: claim of many costs hardly more than a claim of one.
GATHER = 0.02
#: Seconds between looks for what is older than the newest of a lane and will not be met by a claim, such as a
#: release that was announced late: nothing begins it, and of very many the look takes its time.
OLDER = 5.0


def worker_name() -> str:
    """A name no other worker has, for people: the lease, not the name, decides."""
    return f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(2)}"


class QueueLoop:
    """Claims and handles the jobs of one queue. `stopping` is asked before every claim."""

    def __init__(self, database: Database, queue: str, worker: str, stopping: Callable[[], bool]) -> None:
        self.database = database
        self.queue = queue
        self.worker = worker
        self.slots = QUEUES[queue]
        self._stopping = stopping
        self._wake = asyncio.Event()
        self._after = ""
        self._running: dict[asyncio.Task[None], str] = {}  # of which share
        self._older_at = 0.0
        self._not_before = 0.0
        self._help_at = 0.0
        self._pace = pacing.Pace(self.slots) if queue in pacing.PACED else None
        self._settling: Together[dict[str, Any], bool] = Together(self._settle_together, most=MOST_CLAIMED)
        self._deadlines = Deadlines(deadlines_late(queue))
        self._back = LookingBack(queue, self._oldest_ready, self.wake)

    @property
    def busy(self) -> bool:
        """Whether a handler is in hand."""
        return bool(self._running)

    def wake(self) -> None:
        """Look for work now."""
        self._wake.set()

    async def run(self) -> None:
        """Work until told to stop, then finish what is in hand."""
        trouble = Trouble(queue=self.queue)
        while not self._stopping():
            longest = settings().sending.sweep
            self._back.ask()
            try:
                await self._claim_and_start()
            except Exception as error:  # a loop never ends by itself: the next round repairs this one
                trouble.met("claim_failed", error)
                longest = min(longest, AGAIN)
            else:
                trouble.over()
            await self._wait(longest)
        await self._back.end()
        if self._running:
            await asyncio.wait(self._running)

    async def _wait(self, longest: float) -> None:
        try:
            async with asyncio.timeout(longest):
                await self._wake.wait()
        except TimeoutError:
            pass
        await asyncio.sleep(self._not_before - time.monotonic())
        self._wake.clear()

    async def _claim_and_start(self) -> None:
        free = self.slots - len(self._running) if self._pace is None else self._pace.free()
        if free <= 0 or not handled_kinds(self.queue):
            return
        now = time.monotonic()
        if older := now >= self._older_at:
            self._older_at = now + OLDER
        wanted = min(free, MOST_CLAIMED)
        limits = await self._of_a_share()
        rows = await self.claim(wanted, older=older, **limits)
        jobs = [ClaimedJob(*row[:-1]) for row in rows if row["state"] == "leased"]
        jobs.sort(key=lambda job: _turn(self._after, job.share))
        shares = [row["share"] for row in rows]
        self._after = last_served(self._after, shares)
        for job in jobs:
            self._start(job)
        if rows:
            self._wake.set()
        if rows and len(rows) < wanted and all_there_was(shares, limits):
            self._not_before = now + GATHER
        if len(rows) == wanted and now >= self._help_at:
            self._help_at = now + HELP
            await bell.ring(self.queue)

    async def claim(self, wanted: int, *, older: bool, **limits: Any) -> list[Any]:
        """Lease at most so many; the rows as `leases.claim` answers them.

        What is in hand takes its share's room, also when its lease is over: it has a slot.
        """
        room = limits.get("room", {})
        in_hand = Counter(self._running.values())
        left = {share: room.get(share, limits["most_leases"]) - n for share, n in in_hand.items()}
        return await leases.claim_beside_others(
            self.database,
            queue=self.queue,
            kinds=handled_kinds(self.queue),
            worker=self.worker,
            after=self._after,
            wanted=wanted,
            older=older,
            since=self._back.since,
            **(limits | {"room": room | left}),
        )

    async def _oldest_ready(self) -> datetime:
        async with self.database.transaction() as tx:
            return await leases.oldest_ready(tx, self.queue, LATE_COMMIT)

    async def _of_a_share(self) -> dict[str, Any]:
        if self._pace is None:
            per_share = max(PER_SHARE, self.slots // 128)
            return {"per_share": per_share, "most_leases": max(1, self.slots * 3 // 4)}
        async with self.database.transaction() as tx:
            rows = await leases.due_shares(tx, self.queue, self._after, MOST_SHARES, self._back.since)
        room = self._pace.shared_out(
            [pacing.Due(row.share, row.account_id, _abroad(row.kind)) for row in rows]
        )
        return {"per_share": pacing.MOST, "most_leases": 0, "room": room}

    def _start(self, job: ClaimedJob) -> None:
        task = asyncio.create_task(self._handle(job))
        self._running[task] = job.share
        if self._pace is not None:
            self._pace.began(job.lease, pacing.Due(job.share, job.account_id, _abroad(job.kind)))
        task.add_done_callback(partial(self._ended, job.lease))

    def _ended(self, lease: int, task: asyncio.Task[None]) -> None:
        del self._running[task]
        if self._pace is not None:
            self._pace.ended(lease)
        self._wake.set()
        if not task.cancelled() and (error := task.exception()):
            log.error("settle_failed", queue=self.queue, error=repr(error))

    async def _handle(self, job: ClaimedJob) -> None:
        telemetry.cause.set(job.cause)
        await failpoints.reached(self.database, "after_claim", "jobs", job.kind)
        outcome = await outcome_of(Work(self.database, job, self._stopping, self._deadlines), job)
        await failpoints.reached(self.database, "before_settle", "jobs", job.kind)
        await self._settle(job, outcome)
        await failpoints.reached(self.database, "after_settle", "jobs", job.kind)

    async def _settle(self, job: ClaimedJob, outcome: Outcome) -> None:
        ended = settlement(job, outcome)
        until = asyncio.get_running_loop().time() + settings().sending.lease
        ours = await insist(lambda: self._settling(ended), until=until)
        counting.count_outcome(job.queue, job.kind, str(ended["outcome"]) if ours else counting.LATE)
        if not ours:
            log.warning("late_result", job=job.id, kind=job.kind, outcome=ended["outcome"])

    async def _settle_together(self, ended: Sequence[dict[str, Any]]) -> Sequence[bool]:
        """Outcomes that end together are settled together; a group that fails is repeated one by one."""
        async with self.database.transaction() as tx:
            ours = await leases.settle(tx, list(ended), self.worker)
        return [ours.get(one["id"]) == one["lease"] for one in ended]


def all_there_was(shares: Sequence[str], limits: Mapping[str, Any]) -> bool:
    """Whether a claim left nothing that it might have taken: no share got all it may have at once."""
    most, room = limits["per_share"], limits.get("room", {})
    return all(n < min(most, room.get(share, most)) for share, n in Counter(shares).items())


def last_served(after: str, shares: Sequence[str]) -> str:
    """The share whose turn came last, going round from `after`: rows come back in no order of turns."""
    return max(set(shares), key=lambda share: _turn(after, share), default=after)


def _turn(after: str, share: str) -> tuple[bool, str]:
    return share <= after, share


def _abroad(kind: str) -> bool:
    """Of a kind that only a newer worker knows, nothing is claimed whatever this says."""
    try:
        return kind_named(kind).abroad
    except KeyError:
        return True
