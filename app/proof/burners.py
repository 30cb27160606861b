"""Processor time that nobody uses: `python -m app.proof.burners` reads an order, burns, and tells.

A process for each duty. Each does nothing for a moment and then burns until it has had its part of the time
since it began, so that where processors are wanting it insists as those do that have work.
"""

import os
import resource
import select
import sys
import time

import msgspec

from app.proof.orders import BurnOrder, BurnTally

#: Seconds of nothing between two burns; and the longest burn before it looks whether it shall end.
_PAUSE, _LONGEST = 0.005, 0.05


def burn(order: BurnOrder, ended: int) -> BurnTally:
    """Carry the order out until there is an end at the descriptor `ended`."""
    began = time.monotonic()
    kept, told = os.pipe()
    children = [_burner(duty, kept, told) for duty in order.duties]
    while not select.select([ended], [], [], None)[0]:
        continue
    seconds = time.monotonic() - began
    os.close(told)
    for child in children:
        os.waitpid(child, 0)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return BurnTally(used.ru_utime + used.ru_stime, seconds)


def _burner(duty: float, kept: int, told: int) -> int:
    """A process that takes so much of a processor until `kept` ends; its number."""
    child = os.fork()
    if child:
        return child
    os.close(told)
    os.setsid()  # as servers do; where Linux shares processors out by session, all are one otherwise
    began = time.monotonic()
    while not select.select([kept], [], [], _PAUSE)[0]:
        until = time.monotonic() + _LONGEST
        while time.process_time() < duty * ((now := time.monotonic()) - began) and now < until:
            sum(range(1000))
    os._exit(0)


if __name__ == "__main__":
    given = msgspec.json.decode(sys.stdin.buffer.readline(), type=BurnOrder)
    print("begun", flush=True)
    sys.stdout.buffer.write(msgspec.json.encode(burn(given, sys.stdin.fileno())))
