"""Long commands that are stopped by a signal: what they leave and tell, and their status (C1, C2)."""

import asyncio
import gc
import json
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from app.cli.children import command_line
from app.cli.signals import Stoppable, Stopped
from tests.waiting import until

SMALL = ("--readers", "40", "--jobs", "20", "--times", "1")


class Command:
    """`godwit …` in a process of its own: its words in files, and places of its own for what it keeps."""

    def __init__(self, folder: Path, *words: str) -> None:
        self.temporary, self.data = folder / "temporary", folder / "data"
        self._out, self._err = folder / "out", folder / "err"
        self.temporary.mkdir()
        environment = os.environ | {"TMPDIR": str(self.temporary), "GODWIT_DATA": str(self.data)}
        with self._out.open("wb") as out, self._err.open("wb") as err:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "app.cli", *words], stdout=out, stderr=err, env=environment
            )

    @property
    def out(self) -> str:
        return self._out.read_text()

    @property
    def err(self) -> str:
        return self._err.read_text()

    def stopped_by(self, signum: signal.Signals) -> int:
        """The status with which it ends."""
        self.process.send_signal(signum)
        return self.process.wait(60)

    def has_said(self, words: str) -> Callable[[], Awaitable[bool]]:
        async def said() -> bool:
            assert self.process.poll() is None, self.err
            return words in self.err + self.out

        return said

    def has(self, pattern: str) -> Callable[[], Awaitable[Path | None]]:
        """The first file that fits, below the places of its own."""

        async def there() -> Path | None:
            assert self.process.poll() is None, self.err
            return next(iter(self.temporary.parent.glob(pattern)), None)

        return there


@pytest.mark.parametrize("when", ["as it begins", "at work", "as its loop goes"])
def test_long_work_that_is_stopped_clears_up_whenever_it_is_asked(when: str) -> None:
    """Nothing is left that was never begun: Python would tell of it after our last word."""
    told: list[str] = []

    def ask(now: str) -> None:
        if now == when:
            os.kill(os.getpid(), signal.SIGINT)

    async def last_words() -> AsyncIterator[None]:
        try:
            yield
        finally:
            ask("as its loop goes")
            told.append("closed")

    async def work() -> None:
        told.append("begun")
        left = last_words()  # closed by the loop when it goes
        await anext(left)
        try:
            ask("at work")
            if when != "as its loop goes":
                await asyncio.Event().wait()
        finally:
            told.append("cleared up")

    def begin() -> Coroutine[Any, Any, None]:
        ask("as it begins")
        return work()

    with warnings.catch_warnings(record=True) as heard, Stoppable() as stop:
        warnings.simplefilter("always")
        with pytest.raises(Stopped, match=r"^Stopped by SIGINT\.$"):
            stop.run(begin)
        gc.collect()
    assert told == ["begun", "cleared up", "closed"]
    assert [str(one.message) for one in heard] == []


@pytest.fixture
def command(tmp_path: Path):
    made: list[Command] = []

    def make(*words: str) -> Command:
        made.append(Command(tmp_path, *words))
        return made[-1]

    yield make
    for one in made:
        one.process.kill()
        one.process.wait()


async def test_a_bench_that_is_stopped_leaves_nothing_but_its_line(command) -> None:
    """In its first part, at work: no folder, no server; status 143, and JSON alone on stdout."""
    bench = command("bench", "jobs", "--json", "--jobs", "200000", "--times", "1")
    await until(bench.has("temporary/godwit-jobs-*"), seconds=60)
    place = await until(bench.has("temporary/godwit-bench-*/postgres/postmaster.pid"))
    server = int(place.read_text().split()[0])
    assert "postgres" in command_line(server)
    assert bench.stopped_by(signal.SIGTERM) == 143
    assert list(bench.temporary.iterdir()) == []
    assert "postgres" not in command_line(server)
    reason = "Stopped by SIGTERM in part 1 of 3."
    assert bench.err.splitlines() == [
        "Part 1 of 3: jobs that do nothing, beside bare statements and other queues …",
        "",
        reason,
    ]
    told, kept = json.loads(bench.out), json.loads((bench.data / "benches.jsonl").read_text())
    assert (told["failed"], kept["failed"]) == (reason, reason)
    assert (told["figures"], kept["figures"]) == ([], [])


async def test_what_a_bench_measured_before_it_was_stopped_is_told(command) -> None:
    """Ctrl-C in its second part, beside workers that have much to do."""
    bench = command("bench", "shares", *SMALL)
    await until(bench.has_said("Part 2 of 2: "), seconds=90)
    await until(bench.has("temporary/godwit-bench-*/workers.log"), seconds=60)
    assert bench.stopped_by(signal.SIGINT) == 130
    assert list(bench.temporary.iterdir()) == []
    assert bench.err.splitlines()[-1] == "Stopped by SIGINT in part 2 of 2."
    assert "1 reader all mailed, beside 40 at 200 a second" in bench.out
    kept = json.loads((bench.data / "benches.jsonl").read_text())
    assert kept["failed"] == "Stopped by SIGINT in part 2 of 2."
    assert [one["what"] for one in kept["figures"]] == ["1 reader all mailed, beside 40 at 200 a second"]


@pytest.mark.parametrize(("signum", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
async def test_chaos_that_is_stopped_tells_what_was_done_until_then(command, signum, status) -> None:
    """Not with the status of a broken promise; nothing of its house runs on."""
    chaos = command("chaos", "--minutes", "0.5", "--seed", "4")
    await until(chaos.has_said("Round 1 of 1"), seconds=90)
    place = await until(chaos.has("data/chaos/*/postgres/postmaster.pid"))
    server, folder = int(place.read_text().split()[0]), place.parents[1]

    async def has_published() -> bool:
        return '"act":"publish"' in (folder / "diary.jsonl").read_text()

    await until(has_published, seconds=60)
    assert chaos.stopped_by(signum) == status
    assert "postgres" not in command_line(server)
    words = f"Stopped by {signum.name}."
    assert words in chaos.err
    early = f"It came to no end. {words} Of 1 round 0 were looked at: "
    assert early in chaos.out
    assert early in (folder / "report.txt").read_text()
    report = json.loads((folder / "report.json").read_text())
    assert (report["ended_early"], report["rounds"], report["found"]) == (words, 0, [])
    assert report["done"]["publish"]
    steps = json.loads((folder / "schedule.json").read_text())
    diary = map(json.loads, (folder / "diary.jsonl").read_text().splitlines())
    (began,), first = report["began"], next(one["at"] for one in steps if one["act"] == "publish")
    assert first <= next(one["begun"] for one in diary if one["act"] == "publish") - began < first + 30
