"""`python -m tests.simulation.plant`: what it says, and with which status."""

import subprocess
import sys

from tests.simulation.plant import MOST
from tests.simulation.plants import PLANTS


def planting(*words: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "tests.simulation.plant", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)


def test_help_names_every_fault() -> None:
    told = planting("--help")
    assert told.returncode == 0
    words = " ".join(told.stdout.split())
    assert all(plant.name in words for plant in PLANTS)


def test_a_fault_that_no_name_has_is_told_with_those_there_are() -> None:
    told = planting("no such fault")
    assert told.returncode == 1
    assert told.stderr.startswith(
        "No fault has no such fault in its name; there are: settle without the lease"
    )


def test_what_was_found_and_what_was_not_is_told_in_a_sentence_with_its_worlds() -> None:
    told = planting("rank checked", "settle without", "--most", "1")
    assert told.returncode == 1
    missed, found, last = told.stdout.splitlines()
    assert missed.startswith("settle without the lease: NOT FOUND up to seed ")
    assert "(1 of jobs, " in missed
    assert found.startswith("rank checked at the enqueue only: found in seed 7 (1 of lanes, ")
    assert last == ("1 of 2 planted faults were found, in 2 worlds. Not found: settle without the lease.")


def test_it_seeks_far_enough_for_the_rarest() -> None:
    """846 seeds of all kinds were 234 of its own."""
    assert max(plant.seed for plant in PLANTS) <= MOST
