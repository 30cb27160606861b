"""`godwit chaos`: some seconds of it, its schedule, and that a lie in a log is found."""

import json
from pathlib import Path

import pytest

from app.cli import program
from app.proof.chaos import schedule, steps_json


def test_the_same_seed_is_the_same_schedule_and_another_is_another() -> None:
    """Made whole before anything begins: nothing of the machine is in it."""
    first, again = schedule(3, 120), schedule(3, 120)
    assert steps_json(first) == steps_json(again)
    assert json.loads(json.dumps(steps_json(first))) == steps_json(first)
    assert {step.hand for step in first} == {"people", "fault"}
    assert {step.round for step in first} == {0, 1}
    assert first != schedule(4, 120)


def test_a_third_of_a_minute_finds_nothing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Real processes, killed and frozen while they publish and mail; the books fit what came."""
    status = program.run(["chaos", "--minutes", "0.33", "--seed", "1", "--data", str(tmp_path), "--json"])
    told = json.loads(capsys.readouterr().out)
    assert (status, told["found"]) == (0, [])
    assert told["done"]["broadcast"]["done"] >= 3
    assert told["done"]["publish"]["done"] >= 3
    assert told["mails"] >= 200
    assert told["calls"] > 0
    assert sum(told["hit"].values()) >= 3
    kept = Path(told["kept"])
    assert kept.is_relative_to(tmp_path)
    assert json.loads((kept / "schedule.json").read_text()) == steps_json(schedule(1, 0.33 * 60))
    assert json.loads((kept / "report.json").read_text())["found"] == []


def test_by_smtp_nobody_can_be_asked_and_nothing_is_found(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A mail server of its own writes down what it took; what is unsure is settled by a person."""
    asked = [
        "chaos",
        "--minutes",
        "0.15",
        "--seed",
        "5",
        "--provider",
        "smtp",
        "--data",
        str(tmp_path),
        "--json",
    ]
    status = program.run(asked)
    told = json.loads(capsys.readouterr().out)
    assert (status, told["found"]) == (0, [])
    assert told["mails"] >= 100


@pytest.mark.parametrize(("plant", "promises"), [("mail", {"L1", "L6"}), ("call", {"W2"})])
def test_a_lie_in_a_log_is_found(
    plant: str, promises: set[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """One mail more in the provider's log, one call more in the receiver's."""
    asked = ["chaos", "--minutes", "0.1", "--seed", "2", "--data", str(tmp_path), "--plant", plant, "--json"]
    assert program.run(asked) == 1
    told = json.loads(capsys.readouterr().out)
    assert {one["promise"] for one in told["found"]} >= promises
    assert all(one["sentence"] and one["rows"] for one in told["found"])
