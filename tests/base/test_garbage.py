"""What stays is not looked through; asked of a process of its own, since it holds until the process ends."""

import subprocess
import sys

ASK = """
import gc
from app.base.garbage import spare_what_stays
kept = [[] for _ in range(10_000)]
spare_what_stays()
print(gc.get_freeze_count() > 10_000, len(gc.get_objects()) < 10_000)
"""


def test_what_is_there_is_left_out_of_every_look() -> None:
    told = subprocess.run([sys.executable, "-c", ASK], capture_output=True, text=True, check=True)
    assert told.stdout.split() == ["True", "True"]
