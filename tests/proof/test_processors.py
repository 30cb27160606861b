"""What of the processor each process takes, told a request."""

import os
import subprocess
import sys

from app.proof.processors import descendants, each_told, spent

_BURN = "import time\nwhile time.process_time() < 0.3: pass\nprint(flush=True)\ninput()"


def test_what_a_child_took_is_told_while_it_lives_and_no_other_is_among_them() -> None:
    before = spent(os.getpid())
    burning = [sys.executable, "-c", _BURN]
    with subprocess.Popen(burning, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        assert child.pid in descendants(os.getpid())
        took = spent(os.getpid())["others"] - before.get("others", 0.0)
        child.communicate(b"\n")
    assert 0.25 < took < 5


def test_it_is_told_by_process_and_in_all() -> None:
    told = each_told({"web": 1.0}, {"web": 3.0, "Postgres": 1.0}, 0.5, 1000)
    assert told == "of the processor a request took 3.50 ms (Postgres 1.00, load tool 0.50, web 2.00)"
