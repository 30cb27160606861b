"""A receiver of webhooks that is no good: `python -m app.proof.failing PORT`.

At /slow it answers 500 after two seconds, anywhere else it hangs until the caller leaves.
"""

import asyncio
import sys

import uvloop

from app.fakes import Call, FakeReceiver, Reply

_SLOW, _HANGING = Reply(500, delay=2.0), Reply(ending="hang")


async def _meet(call: Call) -> Reply:
    return _SLOW if call.path.startswith("/slow") else _HANGING


async def serve(port: int) -> None:
    """Listen on this machine, until somebody ends it."""
    await FakeReceiver(_meet, port=port).start()
    await asyncio.Event().wait()


if __name__ == "__main__":
    uvloop.run(serve(int(sys.argv[1])))
