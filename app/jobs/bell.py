"""The bell: tells workers that a queue has work. A hint, never a fact.

A ring sets `bell:{queue}` for five seconds; only the ring that set it enqueues one arq job
`drain(queue)`. Redis away: the ring is skipped, said once, and the workers' timer finds the
work instead. Not LISTEN/NOTIFY: commits that notify queue up behind one database-wide lock.
"""

import asyncio
import time
from urllib.parse import urlsplit

from arq.connections import ArqRedis, RedisSettings, create_pool
from redis.exceptions import RedisError

from app.base.settings import settings
from app.base.telemetry import log

BELL_MS = 5000
#: Redis gets this many seconds to answer a ring; a request must not wait for a hint.
PATIENCE = 0.5
#: After a failure nobody asks again for so long: a Redis that hangs must not slow every request.
QUIET = 1.0

_pools: dict[asyncio.AbstractEventLoop, ArqRedis] = {}
_silent_until = 0.0


def redis_settings() -> RedisSettings:
    """How arq reaches Redis."""
    url = settings().redis_url
    found = RedisSettings.from_dsn(url)
    assert urlsplit(url).hostname
    found.conn_timeout = 1
    found.conn_retries = 0
    return found


def arq_queue(queue: str) -> str:
    """The name of a family's arq queue."""
    return f"arq:{queue}"


async def ring(queue: str) -> None:
    """Wake a worker of this queue. Never raises: work is late by one sweep at most."""
    global _silent_until
    if time.monotonic() < _silent_until:
        return
    try:
        async with asyncio.timeout(PATIENCE):
            redis = await _pool()
            if await redis.set(f"bell:{queue}", b"1", nx=True, px=BELL_MS):
                await redis.enqueue_job("drain", queue, _queue_name=arq_queue(queue))
        _silent_until = 0.0
    except (RedisError, OSError, TimeoutError) as error:
        if not _silent_until:
            log.warning("bell_is_silent", error=repr(error), then="workers find the work by their timer")
        _silent_until = time.monotonic() + QUIET


async def answered(queue: str) -> None:
    """The bell was heard: from here on the next ring counts again."""
    redis = await _pool()
    await redis.delete(f"bell:{queue}")


async def close() -> None:
    """Close this loop's connection to Redis."""
    pool = _pools.pop(asyncio.get_running_loop(), None)
    if pool is not None:
        await pool.aclose()


async def _pool() -> ArqRedis:
    loop = asyncio.get_running_loop()
    if loop not in _pools:
        _pools[loop] = await create_pool(redis_settings())
    return _pools[loop]
