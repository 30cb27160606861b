"""The simulation finds what it was made to find: each fault is planted alone, in this process."""

import pytest

from tests.simulation.plan import drawn
from tests.simulation.plants import PLANTS, Plant, planted
from tests.simulation.run import Bench, shrunk, told


@pytest.mark.parametrize("plant", PLANTS, ids=[plant.name for plant in PLANTS])
def test_a_planted_fault_is_found(bench: Bench, plant: Plant) -> None:
    """By the seed that found it first, and by the promise it breaks; without it the seed is clean."""
    with planted(bench, plant):
        result = bench.run(drawn(plant.seed))
    assert result.promise in plant.breaks, (
        f"{plant.name} was not found by seed {plant.seed}: {result.failure}"
    )
    assert not bench.run(drawn(plant.seed)).failure


def test_a_failure_is_told_with_its_seed_and_its_shortest_steps(bench: Bench) -> None:
    """The promise, how to repeat it, and a trace with less in it than the one found."""
    plant = next(one for one in PLANTS if one.name == "rank checked at the enqueue only")
    with planted(bench, plant):
        found = bench.run(drawn(plant.seed))
        least = shrunk(bench, found, most=25)
    assert least.promise == found.promise
    assert len(least.plan.acts) + len(least.plan.faults) <= len(found.plan.acts) + len(found.plan.faults)
    words = told(least)
    assert words.startswith("E7: ")
    assert f"--seed {plant.seed}" in words
