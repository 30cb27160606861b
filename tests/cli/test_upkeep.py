"""Children that are kept alive, and how they are stopped (C2)."""

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

from app.cli.environment import inherited
from app.cli.signals import Signals
from app.cli.upkeep import Kept, keep, stop_all, stop_together

STUBBORN = """
import pathlib, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
pathlib.Path(sys.argv[1]).touch()
time.sleep(120)
"""
NOTES_ITS_END = """
import pathlib, signal, sys, time
def leave(*_):
    with open(sys.argv[1], "a") as file: file.write(sys.argv[2])
    sys.exit(0)
signal.signal(signal.SIGTERM, leave)
pathlib.Path(sys.argv[1] + sys.argv[2]).touch()
time.sleep(120)
"""


WAITS_FOR_THE_OTHER = """
import pathlib, signal, sys, time
def leave(*_):
    pathlib.Path(sys.argv[1]).touch()
    while not pathlib.Path(sys.argv[2]).exists(): time.sleep(0.01)
    sys.exit(0)
signal.signal(signal.SIGTERM, leave)
pathlib.Path(sys.argv[1] + "-ready").touch()
time.sleep(120)
"""


def kept(code: str, *arguments: str, patience: float = 60) -> Kept:
    return Kept("child", [sys.executable, "-c", code, *arguments], inherited(), patience)


def asked_to_stop_when(holds: Callable[[], bool]) -> Callable[[], None]:
    deadline = time.monotonic() + 60

    def tick() -> None:
        assert time.monotonic() < deadline, "waited in vain"
        if holds():
            os.kill(os.getpid(), signal.SIGTERM)

    return tick


def test_a_child_that_ends_unasked_is_started_again(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    child = kept("import sys; open(sys.argv[1], 'a').write('x')", str(notes))
    with Signals() as signals:
        keep([child], signals, asked_to_stop_when(lambda: notes.exists() and len(notes.read_text()) >= 3))
        stop_all([child], signals)
    assert child.falls >= 2


def test_children_are_stopped_one_after_the_other_in_the_order_given(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    children = [kept(NOTES_ITS_END, str(notes), name) for name in "ab"]
    ready = [Path(f"{notes}{name}") for name in "ab"]
    with Signals() as signals:
        keep(children, signals, asked_to_stop_when(lambda: all(path.exists() for path in ready)))
        stop_all(children, signals)
    assert notes.read_text() == "ab"
    assert [child.process.returncode for child in children if child.process] == [0, 0]


def test_workers_are_asked_all_at_once(tmp_path: Path) -> None:
    """Each ends when it knows that the other was asked: one after the other, the first would be killed."""
    names = [str(tmp_path / name) for name in "ab"]
    children = [kept(WAITS_FOR_THE_OTHER, *pair, patience=10) for pair in (names, names[::-1])]
    with Signals() as signals:
        keep(children, signals, asked_to_stop_when(lambda: all(Path(f"{n}-ready").exists() for n in names)))
        stop_together(children, signals)
    assert [child.process.returncode for child in children if child.process] == [0, 0]


def test_a_second_ctrl_c_does_not_wait(tmp_path: Path) -> None:
    """An hour's patience: a child that was waited for would have come to its own end."""
    deaf = tmp_path / "deaf"
    child = kept(STUBBORN, str(deaf), patience=3600)
    with Signals() as signals:
        keep([child], signals, asked_to_stop_when(deaf.exists))
        os.kill(os.getpid(), signal.SIGINT)
        stop_all([child], signals)
    assert child.process
    assert child.process.returncode == -signal.SIGKILL
