"""`python -m workers.nothing FILE --queues nothing`: a worker as it ships that can do nothing, too.

For `godwit bench jobs`. The kind and its queue stand in app.proof, which no worker imports otherwise. FILE
gets a line for every claim that took something: when it was over and how long it took (seconds), and how many
jobs it took.
"""

import sys
import time
from pathlib import Path
from typing import Any

from app.jobs.runner import QueueLoop
from app.proof import noop
from workers.__main__ import main
from workers.process import WorkerProcess


def timed(path: Path) -> type[QueueLoop]:
    """Loops that tell of their claims."""
    told = path.open("a", buffering=1)

    class TimedLoop(QueueLoop):
        async def claim(self, wanted: int, *, older: bool, **limits: Any) -> list[Any]:
            began = time.monotonic()
            rows = await super().claim(wanted, older=older, **limits)
            ended = time.monotonic()
            if rows:
                told.write(f"{ended} {ended - began} {len(rows)}\n")
            return rows

    return TimedLoop


if __name__ == "__main__":
    WorkerProcess.loop = timed(Path(sys.argv.pop(1)))
    with noop.known():
        sys.exit(main())
