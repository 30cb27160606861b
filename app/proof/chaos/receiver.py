"""A receiver of webhooks in a process of its own: it writes down each call before it answers.

`python -m app.proof.chaos.receiver PORT LOG`. What is to go wrong is told it by POST /order, a list that
takes the place of the one before.
"""

import asyncio
import base64
import os
import signal
import sys
import time
from pathlib import Path
from typing import Literal, cast

import msgspec

from app.fakes import Call, FakeReceiver, Reply

Ending = Literal["whole", "cut", "drop", "reset", "hang"]
ORDER = "/order"


class Fault(msgspec.Struct):
    """At calls whose path ends with `path` ('' at all): this is answered, `times` times."""

    path: str
    status: int = 200
    ending: Ending = "whole"
    delay: float = 0.0
    retry_after: int = 0
    times: int = 1


class Heard(msgspec.Struct, frozen=True):
    """One call: when it was whole (seconds since 1970), what came, and what was answered to it."""

    at: float
    path: str
    headers: dict[str, str]
    body: str
    status: int
    ending: Ending
    delay: float

    @property
    def octets(self) -> bytes:
        """The body as it came."""
        return base64.b64decode(self.body)

    @property
    def taken(self) -> bool:
        """Whether the caller was told that it was taken: a status stands, whatever becomes of the rest."""
        return self.ending in ("whole", "cut") and 200 <= self.status < 300


class Receiver:
    """Appends to a file; a line a call."""

    def __init__(self, log: Path) -> None:
        self._log = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        self._faults: list[Fault] = []

    async def meet(self, call: Call) -> Reply:
        """Keep it, and answer as ordered."""
        if call.path == ORDER:
            self._faults = msgspec.json.decode(call.body, type=list[Fault])
            return Reply(204)
        reply = self._reply(call.path)
        heard = Heard(
            time.time(),
            call.path,
            dict(call.headers),
            base64.b64encode(call.body).decode(),
            reply.status,
            cast(Ending, reply.ending),
            reply.delay,
        )
        if reply.ending != "reset":  # a machine that is going down keeps nothing
            os.write(self._log, msgspec.json.encode(heard) + b"\n")
        return reply

    def _reply(self, path: str) -> Reply:
        for fault in self._faults:
            if fault.times > 0 and path.endswith(fault.path):
                fault.times -= 1
                headers = (("Retry-After", str(fault.retry_after)),) if fault.retry_after else ()
                return Reply(fault.status, headers, delay=fault.delay, ending=fault.ending)
        return Reply(204)


def heard(log: Path) -> list[Heard]:
    """Every call that was written down, in the order in which they came."""
    lines = log.read_bytes().splitlines() if log.exists() else []
    return [msgspec.json.decode(line, type=Heard) for line in lines]


async def _serve(port: int, log: Path) -> None:
    server = FakeReceiver(Receiver(log).meet, port=port)
    await server.start()
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    await stopped.wait()
    await server.stop()


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1]), Path(sys.argv[2])))
