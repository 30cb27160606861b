"""A bench for the process, and `--seed N` to repeat one seed."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.harness import at_database, copy_template
from tests.simulation.loop import VirtualLoop
from tests.simulation.run import Bench


def pytest_addoption(parser: pytest.Parser) -> None:
    """`pytest tests/simulation --seed N`: that one alone."""
    parser.addoption("--seed", type=int, default=None, help="of the simulation: run this one seed")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test of many seeds is split into parts, for the processes of a run."""
    if "part" in metafunc.fixturenames:
        seed = metafunc.config.getoption("--seed", default=None)
        metafunc.parametrize(
            "part",
            [range(seed, seed + 1)] if seed else _PARTS,
            ids=lambda part: f"{part.start}-{part.stop - 1}",
        )


_PARTS = [range(first, first + 20) for first in range(1, 201, 20)]


@pytest.fixture(scope="session")
def bench(
    server_urls: tuple[str, str], tmp_path_factory: pytest.TempPathFactory, worker_id: str
) -> Iterator[Bench]:
    """Where this process runs its seeds; the environment and the log are as they were afterwards."""
    asyncio.run(copy_template(server_urls[0], f"simulation_{worker_id}"))
    folder: Path = tmp_path_factory.mktemp("simulation")
    with Bench(at_database(server_urls[0], f"simulation_{worker_id}"), VirtualLoop()).started(
        str(folder)
    ) as made:
        yield made
