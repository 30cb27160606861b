"""`python -m workers --queues a,b`: run these queues until SIGTERM."""

import argparse
import sys

import uvloop

from app.base.settings import SettingsError, settings
from app.base.telemetry import configure
from app.jobs import QUEUES
from workers.process import WorkerProcess


def main() -> int:
    """Run the worker; 0 after a clean stop, 2 when told something that cannot be."""
    parser = argparse.ArgumentParser(prog="workers")
    parser.add_argument("--queues", default=",".join(QUEUES))
    queues = parser.parse_args().queues.split(",")
    if unknown := [queue for queue in queues if queue not in QUEUES]:
        print(f"no such queue: {', '.join(unknown)}; there are {', '.join(QUEUES)}", file=sys.stderr)
        return 2
    try:
        configure(json=settings().mode == "production")
    except SettingsError as error:
        print("\n".join(error.problems), file=sys.stderr)
        return 2
    uvloop.run(WorkerProcess(queues).run())
    return 0


if __name__ == "__main__":
    sys.exit(main())
