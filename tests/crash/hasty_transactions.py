"""`python -m tests.crash.hasty_transactions --queues a,b`: its transactions last five seconds at most."""

import sys

from app.base import driver
from workers.__main__ import main

if __name__ == "__main__":
    driver.LONGEST_TRANSACTION["godwit_worker"] = "5s"
    sys.exit(main())
