"""`python -m tests.simulation.plant`: plants each fault and tells how many seeds it took to find it."""

import sys
import time

from tests.simulation.plan import drawn
from tests.simulation.plants import PLANTS, Plant, planted
from tests.simulation.run import Bench, Result
from tests.simulation.serving import bench

#: Seeds of its kind of world that are tried at most.
MOST = 100


def found(bench: Bench, plant: Plant, most: int = MOST) -> tuple[int, int, Result | None]:
    """(seeds of its kind of world it took, that seed, the result), or None for the result."""
    tried = seed = 0
    with planted(bench, plant) as rewriter:
        while tried < most:
            seed += 1
            plan = drawn(seed)
            if plan.kind != plant.kind:
                continue
            tried += 1
            result = bench.run(plan)
            if result.failure:
                return tried, seed, result
        assert rewriter.hits.keys() == dict(plant.words).keys(), f"{plant.name}: never met {plant.words}"
    return tried, 0, None


def main() -> int:
    """0 when every one was found."""
    missed = 0
    chosen = [
        plant for plant in PLANTS if not sys.argv[1:] or any(word in plant.name for word in sys.argv[1:])
    ]
    with bench() as made:
        for plant in chosen:
            began = time.monotonic()
            tried, seed, result = found(made, plant)
            missed += result is None
            said = f"seed {seed}: {result.failure}" if result else "NOT FOUND"
            print(f"{plant.name}: {tried} seeds, {time.monotonic() - began:.1f} s; {said}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
