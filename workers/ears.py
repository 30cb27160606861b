"""The arq side of the bell: one arq worker per queue, whose only job wakes the queue's loop.

Redis may go away at any moment: the arq worker is started again until it is back, and the
loops go on by their timer meanwhile.
"""

import asyncio
from typing import Any

from arq.typing import StartupShutdown, WorkerCoroutine
from arq.worker import Worker, func
from redis.exceptions import RedisError

from app.base.telemetry import log
from app.jobs import bell
from app.jobs.runner import QueueLoop

#: arq's latency, in seconds.
POLL_DELAY = 0.03
#: Seconds that arq lets the ring take. The work itself it cannot cut: that is done elsewhere.
LONGEST_RING = 60.0


async def listen(queue: str, loop: QueueLoop) -> None:
    """Wake `loop` whenever its bell rings, for ever."""
    away = False

    async def drain(ctx: dict[Any, Any], rung: str) -> None:
        try:
            await bell.answered(rung)
        finally:
            loop.wake()

    async def heard_again(ctx: dict[Any, Any]) -> None:
        nonlocal away
        away = False
        loop.wake()

    while True:
        worker: Worker | None = None
        try:
            worker = _ear(queue, drain, heard_again)
            await worker.async_run()
        except (RedisError, OSError, TimeoutError, RuntimeError) as error:
            if not away:
                log.warning("redis_is_away", queue=queue, error=repr(error), then="the timer looks for work")
            away = True
            await asyncio.sleep(1)
        finally:
            if worker is not None:
                await _close(worker)


def _ear(queue: str, drain: WorkerCoroutine, heard_again: StartupShutdown) -> Worker:
    return Worker(
        functions=[func(drain, name="drain", keep_result=0, max_tries=1, timeout=LONGEST_RING)],
        queue_name=bell.arq_queue(queue),
        on_startup=heard_again,
        redis_settings=bell.redis_settings(),
        handle_signals=False,
        poll_delay=POLL_DELAY,
        health_check_interval=3600,
        log_results=False,
        retry_jobs=False,
    )


async def _close(worker: Worker) -> None:
    try:
        await worker.close()
    except (RedisError, OSError, TimeoutError, RuntimeError):
        return
