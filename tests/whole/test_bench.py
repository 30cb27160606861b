"""`godwit bench`: what it prints. How fast a machine is, is no test's business."""

import json
from pathlib import Path

import pytest

from app.cli import bench, program
from app.proof import Figure, Part, Scale


@pytest.fixture(autouse=True)
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the runs are kept."""
    monkeypatch.setenv("GODWIT_DATA", str(tmp_path))
    return tmp_path / "benches.jsonl"


SMALL = ("--readers", "40", "--jobs", "20", "--times", "1")


def test_a_bench_tells_each_figure_beside_its_target_and_the_machine(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Real servers and workers of its own, whatever the environment says; status 0 also for a bad figure."""
    assert program.run(["bench", "shares", "--json", *SMALL]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["bench"] == "shares"
    assert set(told["machine"]) == {"cpu", "cores", "python"}
    mailing, code = told["figures"]
    assert mailing["what"] == "1 reader all mailed, beside 40 at 200 a second"
    assert (mailing["target_seconds"], code["target_seconds"]) == (10, 1)
    for figure in (mailing, code):
        assert 0 < figure["median_seconds"] <= figure["worst_seconds"]
        assert figure["met"] is (figure["median_seconds"] < figure["target_seconds"])
    assert "killed" in code["meanwhile"]


def test_the_bench_of_a_site_stands_beside_the_bare_framework(capsys: pytest.CaptureFixture[str]) -> None:
    """A web process as it ships, and a load tool in a process of its own; nothing it asked for failed."""
    assert program.run(["bench", "site", "--json", "--posts", "100", "--times", "1"]) == 0
    told = json.loads(capsys.readouterr().out)
    kept, made, bare = told["figures"]
    assert (kept["target_per_second"], made["target_per_second"]) == (4000, 1500)
    assert bare["target_per_second"] is None
    for figure in (kept, made, bare):
        assert figure["median_per_second"] > 0
        assert " 0 failed" in figure["meanwhile"]


def test_the_bench_of_the_way_out_stands_beside_its_library(capsys: pytest.CaptureFixture[str]) -> None:
    """Guarded and unguarded, plain and over TLS, to a receiver of its own."""
    assert program.run(["bench", "egress", "--json", "--jobs", "40", "--times", "1"]) == 0
    figures = json.loads(capsys.readouterr().out)["figures"]
    assert [one["target_per_second"] for one in figures] == [1500, None, 1500, None, None]
    assert all(one["median_per_second"] > 0 for one in figures)


def test_the_bench_of_publishing_tells_steps_and_what_doing_nothing_takes(
    capsys: pytest.CaptureFixture[str], runs: Path
) -> None:
    """Every release is announced; nothing failed; the run is kept."""
    assert (
        program.run(["bench", "publish", "--json", "--accounts", "2", "--seconds", "1", "--times", "1"]) == 0
    )
    told = json.loads(capsys.readouterr().out)
    full, longest, paced, idle = told["figures"]
    assert (full["target_per_second"], longest["target_seconds"]) == (680, 0.387)
    assert (paced["target_seconds"], idle["target_seconds"]) == (0.019, None)
    assert full["what"].endswith(" 0 failed")
    for step in (
        "make draft",
        "edit",
        "publish",
        "was announced",
        "of the processor",
        "Postgres",
        "web",
        "worker",
    ):
        assert step in full["meanwhile"]
    (kept,) = map(json.loads, runs.read_text().splitlines())
    assert (kept["bench"], kept["figures"]) == ("publish", told["figures"])


def test_so_many_requests_may_be_asked_for_by_hand(capsys: pytest.CaptureFixture[str]) -> None:
    assert program.run(["bench", "publish", "--json", "--accounts", "2", "--requests", "60"]) == 0
    full, _ = json.loads(capsys.readouterr().out)["figures"]
    assert full["what"] == "writing requests at full speed, 0 failed"


def test_the_bench_of_webhooks_delivers_alone_and_beside_publications(
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = ("--accounts", "2", "--deliveries", "80", "--seconds", "1", "--times", "1")
    assert program.run(["bench", "webhooks", "--json", *asked]) == 0
    alone, beside, publishing = json.loads(capsys.readouterr().out)["figures"]
    assert alone["target_per_second"] == 1500
    assert "the receiver takes" in alone["meanwhile"]
    assert beside["median_per_second"] > 0
    assert " 0 failed" in publishing["meanwhile"]


def test_the_bench_of_testing_mode_empties_accounts_that_were_mailed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The times that the contract names, for one account and for all."""
    assert program.run(["bench", "testing", "--json", "--times", "1"]) == 0
    figures = json.loads(capsys.readouterr().out)["figures"]
    assert [one["target_seconds"] for one in figures] == [0.3, 0.3, 1]
    assert all(0 < one["median_seconds"] <= one["worst_seconds"] for one in figures)


def test_what_was_measured_before_a_part_failed_is_told_and_kept(
    runs: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The part that failed with its reason, and a status that says so."""

    async def well(_: Scale) -> Figure:
        return Figure("a claim", (0.5,), 1, "nothing went on")

    async def badly(_: Scale) -> Figure:
        raise OSError("connection is closed")

    parts = tuple(Part("claims", {"GODWIT_MODE": "development"}, (), one, ()) for one in (well, badly))
    monkeypatch.setitem(bench.BENCHES, "jobs", parts)
    assert program.run(["bench", "jobs", "--json"]) == 1
    said = capsys.readouterr()
    told, kept = json.loads(said.out), json.loads(runs.read_text())
    assert [one["what"] for one in told["figures"]] == ["a claim"]
    assert told["figures"] == kept["figures"]
    reason = "Part 2 of 2 could not be measured. OSError: connection is closed"
    assert (told["failed"], kept["failed"]) == (reason, reason)
    assert reason in said.err
