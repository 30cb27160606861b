"""`python -m tests.crash.hasty_ears --queues a,b`: a worker whose arq gives up after a tenth of a second."""

import sys

from tests.jobs import worker_with_test_kinds
from workers import catalog, ears

if __name__ == "__main__":
    catalog.MODULES = ()
    ears.LONGEST_RING = 0.1
    sys.exit(worker_with_test_kinds.main())
