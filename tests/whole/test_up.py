"""`godwit up`: from nothing to printed addresses, and back to nothing running (C2, C3)."""

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from app.cli.environment import inherited
from app.cli.folder import ROOT


@contextmanager
def up(data: Path, ready: Path) -> Iterator[tuple["subprocess.Popen[str]", dict[str, str]]]:
    """A running installation and its addresses; killed at the end if it still runs."""
    told = {name: value for name, value in inherited().items() if not name.startswith("GODWIT_")}
    command = [sys.executable, "-m", "app.cli", "up", "--testing", "--port", "0"]
    process = subprocess.Popen(
        [*command, "--data", str(data), "--ready-file", str(ready)],
        cwd=ROOT,
        env=told | {"DATABASE_URL": "", "REDIS_URL": ""},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        deadline = time.monotonic() + 60
        while not ready.exists():
            assert process.poll() is None, process.stdout.read() if process.stdout else ""
            assert time.monotonic() < deadline, "never ready"
            time.sleep(0.05)
        yield process, json.loads(ready.read_text())
    finally:
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()


def status_of(url: str) -> int:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection("127.0.0.1", parts.port, timeout=5)
    connection.request("GET", f"{parts.path}?{parts.query}", headers={"Host": parts.netloc})
    return connection.getresponse().status


def account(data: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "app.cli", "account", *arguments, "--data", str(data)]
    env = inherited(DATABASE_URL="", REDIS_URL="")
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=60, check=False)


def test_up_comes_up_stops_with_status_0_and_comes_back_with_its_data(tmp_path: Path) -> None:
    """C2; a command in another terminal finds the running installation by its data folder."""
    data, ready = tmp_path / "data", tmp_path / "ready.json"
    with up(data, ready) as (process, told):
        assert set(told) == {"studio", "site", "mailbox", "api", "first_run", "database_url", "redis_url"}
        assert status_of(told["first_run"]) == 200
        made = account(data, "create", "--email", "a@example.org", "--name", "A", "--slug", "letters")
        assert (made.returncode, made.stderr) == (0, "")
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
        assert not ready.exists()
    listed = account(
        data, "list", "--json"
    )  # with nothing running it brings the servers for as long as it takes
    assert json.loads(listed.stdout)["items"][0]["slug"] == "letters"
    began = time.monotonic()
    with up(data, ready) as (process, told):
        assert time.monotonic() - began < 15  # 5 s on a machine that does nothing else
        assert told["first_run"] == ""
        assert "//letters." in told["site"]
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0


def test_after_kill_9_of_up_its_children_end_and_the_next_start_works(tmp_path: Path) -> None:
    """C3"""
    data, ready = tmp_path / "data", tmp_path / "ready.json"
    with up(data, ready) as (process, told):
        process.kill()
        deadline = time.monotonic() + 30
        while _serves(told["studio"]):
            assert time.monotonic() < deadline, "the web process outlived its parent"
            time.sleep(0.05)
    os.unlink(ready)
    with up(data, ready) as (process, told):
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0


def _serves(url: str) -> bool:
    try:
        return status_of(f"{url}/healthz") > 0
    except (OSError, http.client.HTTPException):
        return False
