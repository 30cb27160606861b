"""A person has the provider that refuses us asked now, and is told what came of it."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

from app.answers import Flash
from app.base.database import Tx
from app.mail import Refusal, probe_soon, standing_refusal

#: Seconds until a worker has surely taken the turn, if one is alive; and until its question is answered.
TURN, ANSWER = 3.0, 1.0
LOOK = 0.1

_IN = Flash("ok", "The provider lets us in: what waited goes now.")
_LATER = Flash("info", "The provider is being asked. If it lets us in, what waits goes by itself.")


async def ask_provider(transaction: Callable[[], AbstractAsyncContextManager[Tx]]) -> Flash:
    """A worker asks, not this process; no transaction is open while it is waited for."""
    async with transaction() as tx:
        await probe_soon(tx)
        asked = await standing_refusal(tx)
    if asked is None:
        return _IN
    loop = asyncio.get_running_loop()
    until, turned = loop.time() + TURN, False
    while loop.time() < until:
        await asyncio.sleep(LOOK)
        async with transaction() as tx:
            now = await standing_refusal(tx)
        if now is None:
            return _IN
        if not turned and now.seconds > 0:
            until, turned = loop.time() + ANSWER, True
        asked = now
    return _still(asked) if turned else _LATER


def _still(refusal: Refusal) -> Flash:
    return Flash("warn", f"The provider was asked, and still refuses us: {refusal.reason.rstrip('.')}.")
