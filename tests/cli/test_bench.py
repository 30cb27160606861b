"""`godwit bench`: the names it knows, and how figures stand side by side."""

import inspect
import re
from pathlib import Path
from types import CodeType
from typing import Any

import msgspec
import pytest

from app.base.errors import Unavailable
from app.cli import program
from app.cli.bench import BENCHES
from app.cli.figures import RUNS, figure_json, kept_run, meanwhile, table
from app.proof import Figure, Part, Rate, Scale

GOOD = Figure("a code", (0.2, 0.9, 0.1), 1, "much was ready")
BAD = Figure("a small mailing", (12.0, 10.0), 10, "a large one went on")


def test_figures_stand_with_median_worst_times_and_target_also_when_they_are_bad() -> None:
    head, good, bad = (line.split() for line in table([GOOD, BAD]))
    assert head == ["median", "worst", "times", "target"]
    assert good == ["a", "code", "0.20", "s", "0.90", "s", "3", "<", "1", "s", "met"]
    assert bad[3:] == ["11.00", "s", "12.00", "s", "2", "<", "10", "s", "NOT", "MET"]
    assert meanwhile([GOOD]) == ["a code:\n    much was ready."]


def test_no_target_is_met_by_what_failed() -> None:
    """Refusals come fast."""
    fast = Rate("writing", (9000.0,), 680, "all was refused", failed=1200)
    short = Figure("p99", (0.001,), 0.387, "all was refused", failed=1200)
    assert not fast.met
    assert not short.met
    assert table([fast])[1].endswith("NOT MET  1,200 failed")
    assert (figure_json(short)["met"], figure_json(short)["failed"]) == (False, 1200)


def test_rates_stand_beside_them_and_what_has_no_target_is_told_without() -> None:
    slow = Rate("a page", (900.0, 1000.0, 1100.0), 1500, "much went on")
    bare = Rate("bare", (10_000.0,), None, "beside it")
    _, first, second = (line.split() for line in table([slow, bare]))
    assert first[2:] == ["1,000/s", "900/s", "3", ">", "1,500/s", "NOT", "MET"]
    assert second[1:] == ["10,000/s", "10,000/s", "1"]


@pytest.mark.parametrize(("name", "says"), [(["sharse"], "There is no bench 'sharse'"), ([], "Name a bench")])
def test_whoever_names_no_bench_hears_which_there_are(
    name: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """C1"""
    assert program.run(["bench", *name]) == 2
    line = capsys.readouterr().err.strip()
    assert line.startswith(says)
    assert line.endswith(
        "there are: egress, isolation, jobs, publish, shares, site, studio, testing, webhooks."
    )


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["site", "--minutes", "1"], "The bench site knows no --minutes; jobs knows it."),
        (
            ["jobs", "--accounts", "2"],
            "The bench jobs knows no --accounts; isolation, publish and webhooks know it.",
        ),
        (["isolation", "--requests", "0"], "The bench isolation knows no --requests; publish knows it."),
        (
            ["egress", "--readers", "50"],
            "The bench egress knows no --readers; isolation, shares and studio know it.",
        ),
    ],
)
def test_an_option_of_another_bench_is_refused_also_with_its_usual_value(
    words: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """C1: nobody waits minutes for what they did not ask for."""
    assert program.run(["bench", *words]) == 2
    assert capsys.readouterr().err.strip() == says


@pytest.mark.parametrize(
    "part", [pytest.param(one, id=one.what) for parts in BENCHES.values() for one in parts]
)
def test_a_part_says_all_that_it_goes_by(part: Part) -> None:
    """What its functions read of the scale, and nothing else."""
    read: set[str] = set()
    met: set[Any] = set()
    left: list[Any] = [part.measure]
    while left:
        one = inspect.unwrap(left.pop())
        if inspect.isfunction(one) and one.__module__.startswith("app.proof") and one not in met:
            met.add(one)
            read |= set(re.findall(r"\bscale\.(\w+)", inspect.getsource(one)))
            left += [one.__globals__[name] for name in _names(one.__code__) if name in one.__globals__]
    assert read == set(part.heeds)


def _names(code: CodeType) -> set[str]:
    """With those of functions inside."""
    inside = [_names(one) for one in code.co_consts if isinstance(one, CodeType)]
    return set(code.co_names).union(*inside)


def test_what_takes_milliseconds_is_told_in_them_and_what_is_beside_has_no_target() -> None:
    fast = Figure("publishing", (0.0181, 0.0202, 0.0176), 0.019, "at 40 a second")
    idle = Figure("nothing", (0.0042,), None, "beside it")
    _, first, second = (line.split() for line in table([fast, idle]))
    assert first[1:] == ["18.1", "ms", "20.2", "ms", "3", "<", "19", "ms", "met"]
    assert second[1:] == ["4.2", "ms", "4.2", "ms", "1"]


def test_every_run_is_kept_and_one_that_failed_with_its_reason(tmp_path: Path) -> None:
    with kept_run(tmp_path, "publish", Scale(accounts=2)) as run:
        run["figures"] = []
    with (
        pytest.raises(Unavailable),
        kept_run(tmp_path, "publish", Scale()),
    ):
        raise Unavailable("Nothing could be measured: godwit web did not start.")
    with pytest.raises(KeyboardInterrupt), kept_run(tmp_path, "publish", Scale()):
        raise KeyboardInterrupt
    well, failed, stopped = map(msgspec.json.decode, (tmp_path / RUNS).read_text().splitlines())
    assert well["scale"]["accounts"] == 2
    assert "failed" not in well
    assert failed["failed"] == "Nothing could be measured: godwit web did not start."
    assert stopped["failed"] == "KeyboardInterrupt"
    assert {"at", "bench", "version", "machine"} <= failed.keys()
