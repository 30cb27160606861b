"""`python -m tests.simulation --seeds 10000 [--first 1] [--stop] [--trace]`: run seeds, tell the findings.
`python -m tests.simulation.plant`: plant faults."""

import argparse
import sys
import time
from collections import Counter

from tests.simulation.plan import drawn
from tests.simulation.run import Bench, shrunk, told
from tests.simulation.serving import bench


def main() -> int:
    """0 when every promise held in every seed."""
    parser = argparse.ArgumentParser(prog="tests.simulation")
    parser.add_argument("--seeds", type=_one_or_more, default=200)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--stop", action="store_true", help="at the first failure")
    parser.add_argument("--trace", action="store_true", help="of every seed")
    asked = parser.parse_args()
    with bench() as made:
        return 1 if run(made, asked) else 0


def _one_or_more(told: str) -> int:
    if not told.isdecimal() or int(told) < 1:
        raise argparse.ArgumentTypeError(f"{told} is not a whole number from 1 on")
    return int(told)


def run(made: Bench, asked: argparse.Namespace) -> int:
    """How many seeds failed."""
    began, failed, steps, struck = time.monotonic(), 0, 0, Counter[str]()
    slow = Counter[str]()
    for seed in range(asked.first, asked.first + asked.seeds):
        at = time.monotonic()
        result = made.run(drawn(seed))
        slow[result.plan.kind] += int((time.monotonic() - at) * 1000)
        struck[result.plan.kind] += 1
        steps += result.steps
        if (done := sum(struck.values())) % 50 == 0:
            print(f"… {done} seeds, {failed} failed, {time.monotonic() - began:.0f} s", flush=True)
        if asked.trace:
            print(told(result))
        if result.failure:
            failed += 1
            print(f"seed {seed} ({result.plan.kind}): {result.failure}", flush=True)
            if asked.stop:
                print(told(shrunk(made, result)))
                break
    took = time.monotonic() - began
    n = sum(struck.values())
    print(f"{n} seeds, {failed} failed, {steps} steps in {took:.1f} s: {n / took:.1f} seeds a second")
    for kind in sorted(struck):
        print(f"  {kind}: {struck[kind]} seeds, {slow[kind] / struck[kind]:.0f} ms each")
    return failed


if __name__ == "__main__":
    sys.exit(main())
