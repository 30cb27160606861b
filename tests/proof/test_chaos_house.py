"""The house of chaos: who ended as asked, and who was asked before listening (E9)."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from app.proof.chaos.house import House, Process, listens

LISTENS = "import signal; signal.signal(15, lambda *_: exit({})); print('here', flush=True); signal.pause()"
DEAF = "import signal; print('here', flush=True); signal.pause()"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    servers: Any = SimpleNamespace(database_url="", redis_url="")  # nothing here asks a server
    made = House(tmp_path, servers, lambda *_: begun(DEAF), {}, ("sends",))
    made.port = 0
    yield made
    made.stop()


def begun(words: str) -> Process:
    """A process that said that it is there."""
    made = subprocess.Popen([sys.executable, "-c", words], stdout=subprocess.PIPE)
    assert made.stdout is not None
    assert made.stdout.readline() == b"here\n"
    made.stdout.close()
    return made


def left(house: House, words: str) -> list[str]:
    """What is told of a worker that was asked to leave."""
    house.children["worker-0"] = begun(words)
    house.leave("worker-0")
    house._ended(0)
    return house.slow_ends


def test_who_listens_and_ends_badly_is_told(house: House) -> None:
    assert left(house, LISTENS.format(0)) == []
    assert left(house, LISTENS.format(3)) == ["worker-0 ended with status 3 after SIGTERM"]


def test_who_is_asked_before_listening_is_not_told(house: House) -> None:
    assert left(house, DEAF) == []


def test_who_listened_and_is_ended_by_the_signal_itself_is_told(house: House) -> None:
    words = LISTENS.replace("exit({})", "(signal.signal(15, signal.SIG_DFL), signal.raise_signal(15))")
    assert left(house, words) == ["worker-0 ended with status -15 after SIGTERM"]


def test_the_system_tells_who_listens() -> None:
    for words, does in ((LISTENS.format(0), True), (DEAF, False)):
        one = begun(words)
        assert listens(one.pid) is does
        one.kill()
        one.wait()


def test_who_was_killed_by_a_failpoint_is_begun_again(house: House) -> None:
    house.bring_up("worker-0")
    first = house.children["worker-0"]
    first.kill()
    first.wait()
    house.tend()
    assert house.children["worker-0"].pid != first.pid
    assert house.falls == []
