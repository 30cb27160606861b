"""`python -m tests.crash.newer_hand --queues a,b`: a worker of the next version.

It writes args of `test_note` anew, and knows a kind that the version before does not.
"""

import sys
from dataclasses import dataclass, replace

from app.jobs import handles, job, registry
from tests.jobs import kinds, worker_with_test_kinds
from workers import catalog


@job("test_note_newer", queue=kinds.QUEUE)
@dataclass(frozen=True)
class NoteNewer(kinds.Note):
    """What only the next version makes."""


handles(NoteNewer)(kinds.note)

if __name__ == "__main__":
    catalog.MODULES = ()
    registry._kinds["test_note"] = replace(  # pyright: ignore[reportPrivateUsage]
        registry.kind_named("test_note"), upgrades=(lambda old: old,)
    )
    sys.exit(worker_with_test_kinds.main())
