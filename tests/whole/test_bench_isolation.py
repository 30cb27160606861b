"""`godwit bench isolation`, small: its four scenes are played, and nothing in them is lost."""

import json
import os
from pathlib import Path

import pytest

from app.cli import program
from app.proof.orders import BurnOrder, BurnTally
from app.proof.processes import at_work
from app.proof.processors import command_of, spent_by_each
from tests.waiting import until

SMALL = ("--readers", "200", "--deliveries", "48", "--accounts", "2", "--posts", "100")
BRIEFLY = ("--seconds", "1", "--times", "1")


def test_the_bench_of_isolation_tells_codes_and_pages_beside_much_and_beside_the_same_load(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """E10: processes as `serve` starts them; the control takes as much of the processor, and is measured."""
    monkeypatch.setenv("GODWIT_DATA", str(tmp_path))
    assert program.run(["bench", "isolation", "--json", *SMALL, *BRIEFLY]) == 0
    codes, twice, burners, quiet, *pages, copies, hammered = json.loads(capsys.readouterr().out)["figures"]
    assert codes["what"] == "p99 of a sign-in code, beside 1,000 readers mailed and 24 webhooks that fail"
    assert codes["target_seconds"] == 1
    assert twice["target_seconds"] == pytest.approx(2 * burners["median_seconds"], abs=0.001)
    for one in (codes, burners, quiet):
        assert one["median_seconds"] > 0
        assert one["failed"] == 0
        assert "creators" in one["meanwhile"]
    assert "of a processor" in burners["meanwhile"]
    assert [one["failed"] for one in pages] == [0, 0, 0]
    assert "calls of webhooks had failed" in copies["meanwhile"]
    assert copies["median_per_second"] > 0
    assert " 0 failed" in hammered["meanwhile"]


def burnt() -> float:
    """Seconds of the processor that burners have taken so far."""
    spent = spent_by_each(os.getpid())
    return sum(seconds for pid, seconds in spent.items() if "app.proof.burners" in command_of(pid))


async def test_burners_take_as_much_of_the_processor_as_they_were_told_and_no_more() -> None:
    """Their part comes with time, however fast they burn, and nobody starves them."""
    async with at_work("app.proof.burners", BurnOrder([0.05, 0.05]), BurnTally) as end:
        before = burnt()

        async def have_burnt() -> bool:
            return burnt() - before >= 0.2

        await until(have_burnt)
        tally = await end()
    assert 0.05 * tally.seconds < tally.took < 0.1 * tally.seconds + 0.1
