"""`python -m tests.jobs.worker_with_test_kinds --queues a,b`: a real worker that knows these kinds alone."""

import sys

from tests.jobs import kinds
from workers import catalog
from workers.__main__ import main

if __name__ == "__main__":
    assert kinds.QUEUE
    catalog.MODULES = ()
    sys.exit(main())
