"""`godwit bench jobs`: what it prints. How fast a machine is, is no test's business."""

import json
from pathlib import Path

import pytest

from app.cli import program


def test_the_bench_of_jobs_stands_beside_bare_statements_and_other_queues(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One worker as it ships; what is not installed is told so; an old snapshot is held meanwhile."""
    monkeypatch.setenv("GODWIT_DATA", str(tmp_path))
    assert program.run(["bench", "jobs", "--json", "--jobs", "200", "--times", "1", "--minutes", "0.02"]) == 0
    figures = json.loads(capsys.readouterr().out)["figures"]
    by_name = {one["what"]: one for one in figures}
    drained = by_name["jobs that do nothing, one worker"]
    assert drained["target_per_second"] == 12_000
    assert drained["median_per_second"] > 0
    assert "of the processor a job took" in drained["meanwhile"]
    assert by_name["bare statements, by 100"]["median_per_second"] > 0
    beside = by_name["… beside half the bare statements"]
    assert beside["per_second"] == drained["per_second"]
    for peer in ("pgqueuer", "procrastinate"):
        assert any(name.startswith(peer) for name in by_name), "measured, or said not to be installed"
    assert by_name["idle pick-up, median"]["target_seconds"] == 0.025
    assert by_name["… p99"]["target_seconds"] == 0.1
    assert by_name["the worker's memory"]["median_megabytes"] > 0
    held = by_name["p99 of a claim, a transaction open for 0.02 min"]
    assert held["median_seconds"] > 0
    assert "without" in held["meanwhile"]
