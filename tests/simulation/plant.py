"""`python -m tests.simulation.plant`: plants each fault and tells how many worlds it took to find it."""

import argparse
import sys
import time
from collections.abc import Sequence

from tests.simulation.plan import drawn
from tests.simulation.plants import PLANTS, Plant, planted
from tests.simulation.run import Bench, Result
from tests.simulation.serving import bench

#: Worlds of its kind that are tried at most: four times as many as the rarest fault took.
MOST = 1000


def found(bench: Bench, plant: Plant, most: int = MOST) -> tuple[int, int, Result | None]:
    """(worlds of its kind that were tried, the seed of the last, what it found or None)."""
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
        if never := plant.words and dict(plant.words).keys() - rewriter.hits.keys():
            print(f"Never met, perhaps to be planted anew: {sorted(never)[0]!r}", file=sys.stderr)
    return tried, seed, None


def main() -> int:
    """0 when every one was found."""
    asked = _asked()
    chosen = [one for one in PLANTS if not asked.words or any(word in one.name for word in asked.words)]
    if not chosen:
        sys.exit(f"No fault has {' or '.join(asked.words)} in its name; there are: {_names(PLANTS)}.")
    missed, worlds = list[Plant](), 0
    with bench() as made:
        for plant in chosen:
            began = time.monotonic()
            tried, seed, result = found(made, plant, asked.most)
            worlds += tried
            of_its_kind = f"{tried} of {plant.kind}, {time.monotonic() - began:.1f} s"
            if result:
                print(f"{plant.name}: found in seed {seed} ({of_its_kind}): {result.failure}", flush=True)
            else:
                missed.append(plant)
                print(f"{plant.name}: NOT FOUND up to seed {seed} ({of_its_kind})", flush=True)
    print(_summed_up(len(chosen), worlds, missed))
    return 1 if missed else 0


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.simulation.plant",
        description="Plant faults in engine and ledger, one at a time, and seek each by seed after seed.",
        epilog=f"The faults: {_names(PLANTS)}. Status 0 when all were found, else 1.",
    )
    parser.add_argument("words", nargs="*", help="only faults with one of these in their name")
    parser.add_argument(
        "--most", type=int, default=MOST, metavar="N", help=f"try so many worlds for each ({MOST})"
    )
    return parser.parse_args()


def _names(plants: Sequence[Plant]) -> str:
    return "; ".join(one.name for one in plants)


def _summed_up(planted_all: int, worlds: int, missed: Sequence[Plant]) -> str:
    told = f"{planted_all - len(missed)} of {planted_all} planted faults were found, in {worlds} worlds."
    return f"{told} Not found: {_names(missed)}." if missed else told


if __name__ == "__main__":
    sys.exit(main())
