"""One worker process: its loops, its bell, its timers, and how it stops."""

import asyncio
import signal
from contextlib import suppress

from redis.exceptions import RedisError

from app import egress, ledger, ops, switches
from app.base import garbage, rehearsal, statements
from app.base.database import Database
from app.base.settings import settings
from app.base.telemetry import Trouble, log
from app.jobs import bell
from app.jobs.runner import QueueLoop, worker_name
from app.mail import current_provider
from workers import catalog
from workers.ears import listen
from workers.pools import Pools
from workers.schedule import Timer, timers_for

#: Seconds for what is only polite at the end: Redis may be frozen, and nothing of ours is in it.
GOODBYE = 3.0


class WorkerProcess:
    """Runs the given queues until SIGTERM or SIGINT, then finishes what is in hand and ends."""

    loop: type[QueueLoop] = QueueLoop

    def __init__(self, queues: list[str]) -> None:
        catalog.load()
        statements.load_all()
        garbage.spare_what_stays()
        self.queues = queues
        self.name = worker_name()
        self._presence = ops.Presence(self.name, queues)
        self._stopping = False

    def stop(self) -> None:
        """No new claims from here on; the calls in hand are finished (E9)."""
        self._stopping = True
        current_provider().hurry(settings().sending.timeout)
        for loop in self._loops.values():
            loop.wake()

    async def run(self) -> None:
        """Work until told to stop. Ends within the grace: the longest HTTP call + 15 s."""
        pools = Pools(self.queues)
        await rehearsal.follow(pools.timers)
        self._loops = {
            queue: self.loop(pool, queue, self.name, lambda: self._stopping)
            for queue, pool in pools.families.items()
        }
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, self.stop)
        await switches.look_back_first(pools.timers, lambda: self._stopping)
        ears = [asyncio.create_task(listen(queue, loop)) for queue, loop in self._loops.items()]
        present = Timer("be seen", lambda: ops.BEAT, self._presence.beat)
        beside = [present, *timers_for(self.queues)]
        timers = [asyncio.create_task(self._repeat(timer, pools.timers)) for timer in beside]
        log.info("worker_started", name=self.name, queues=self.queues)
        working = asyncio.gather(*(loop.run() for loop in self._loops.values()))
        await self._until_stopped(working)
        for task in [*ears, *timers]:
            task.cancel()
        await asyncio.wait([*ears, *timers], timeout=GOODBYE)
        await self._own_up(pools.timers)
        await self._presence.leave(pools.timers)
        await current_provider().aclose()
        await egress.client().close()
        with suppress(TimeoutError, RedisError):
            await asyncio.wait_for(bell.close(), GOODBYE)
        await pools.close()
        log.info("worker_stopped", name=self.name)

    async def _until_stopped(self, working: "asyncio.Future[list[None]]") -> None:
        while not self._stopping and not working.done():
            await asyncio.wait([working], timeout=0.2)
        grace = max(settings().sending.timeout, settings().sending.webhook_timeout) + 15
        done, _ = await asyncio.wait([working], timeout=grace)
        if not done:
            log.warning("grace_is_over", left="their leases run out by themselves")
        elif error := working.exception():
            log.error("loop_ended", error=repr(error))

    async def _own_up(self, database: Database) -> None:
        """Calls that nobody answered before the end are unknown now, not when another worker starts."""
        if "sends" in self.queues:
            try:
                await ledger.sweep(database)
            except Exception as error:  # the next worker's sweep says so
                log.warning("timer_failed", timer="sweep the ledger", error=repr(error))

    async def _repeat(self, timer: Timer, database: Database) -> None:
        trouble, first = Trouble(timer=timer.name), timer.first
        while True:
            try:
                if first is not None:
                    await first(database)
                    first = None
                for queue in await timer.run(database):
                    if queue in self._loops:
                        self._loops[queue].wake()
            except Exception as error:  # a timer never ends: the next round repairs what this one could not
                trouble.met("timer_failed", error)
            else:
                trouble.over()
            await asyncio.sleep(timer.every())
