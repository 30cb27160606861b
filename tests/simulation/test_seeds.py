"""Two hundred small worlds, step by step in another order each: every promise holds in all of them.

By hand: `python -m tests.simulation --seeds 10000`; one of them again: `pytest tests/simulation --seed N`.
"""

from tests.simulation.plan import drawn
from tests.simulation.run import Bench, shrunk, told


def test_every_promise_holds_whatever_the_order_and_the_faults(bench: Bench, part: range) -> None:
    """E1–E7, L1–L8, L10, W1, W2: the sentence of the failure begins with what was broken."""
    for seed in part:
        result = bench.run(drawn(seed))
        assert not result.failure, told(shrunk(bench, result))
