"""`godwit test`: what is not there is told before anything starts."""

import subprocess
import sys

import pytest

from app.cli.folder import ROOT


def proved(*words: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "app.cli", "test", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize(
    ("words", "place"),
    [
        (["some/path/that/is/not/there"], "some/path/that/is/not/there"),
        (["-x", "-k", "doctor", "tests/cli", "tests/cli/test_doctr.py::test_it"], "tests/cli/test_doctr.py"),
        (["ledger"], "ledger"),
    ],
)
def test_a_place_that_is_not_there_is_refused_before_servers_start(words: list[str], place: str) -> None:
    """C1"""
    told = proved(*words)
    assert told.returncode == 2
    assert told.stderr == f"There is no {place!r} to test in {ROOT}; tests are below tests and e2e.\n"
    assert told.stdout == ""


def test_what_is_there_and_what_options_take_is_left_to_pytest() -> None:
    told = proved(
        "-n", "0", "-k", "no/place and no.py", "--deselect", "no/such", "tests/cli/test_proving.py::proved"
    )
    assert "There is no" not in told.stderr
    assert "test_proving.py" in told.stdout + told.stderr
