"""Two hundred small worlds, step by step in another order each: every promise holds in all of them.

By hand: `python -m tests.simulation --seeds 10000`; one of them again: `pytest tests/simulation --seed N`.
"""

import pytest

from tests.simulation.plan import drawn
from tests.simulation.run import Bench, shrunk, told

#: Some worlds of each kind; people wait for each other's locks in them.
SAME = (1, 2, 3, 5, 6, 7, 8, 17)


def test_every_promise_holds_whatever_the_order_and_the_faults(bench: Bench, part: range) -> None:
    """E1–E9, L1–L5, L7, L8, L10, W1, W2, W4: the sentence of the failure begins with what was broken."""
    for seed in part:
        result = bench.run(drawn(seed))
        assert not result.failure, told(shrunk(bench, result))


@pytest.mark.parametrize("seed", SAME)
def test_a_seed_is_the_same_each_time(bench: Bench, seed: int) -> None:
    """Step by step, or no finding could be looked at twice."""
    first, again = bench.run(drawn(seed)), bench.run(drawn(seed))
    assert first.trace == again.trace
    assert first.failure == again.failure
