"""`godwit webhook listen`: what comes is verified, told, and answered as ordered."""

import json
import os
import signal
import subprocess
import sys
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
from standardwebhooks.webhooks import Webhook

from app.cli.program import run

ROOT = Path(__file__).parents[2]
SECRET = "whsec_" + b64encode(bytes(range(32))).decode()
BODY = '{"type":"post.published","data":{"title":"Zoë 😊"}}'


class Listening:
    """The command, running: where, and what it says."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        assert process.stdout is not None
        self.process, self.said = process, process.stdout
        first = [line.strip() for line in iter(self.said.readline, "ready\n")]
        self.url = next(word for word in first[0].split() if word.startswith("http://"))
        self.advice = first[1]

    def call(self, body: str = BODY, name: str = "evt_1", **more: str) -> int:
        """One delivery, as Godwit makes it."""
        now = datetime.now(UTC)
        headers = {
            "webhook-id": name,
            "webhook-timestamp": str(int(now.timestamp())),
            "webhook-signature": Webhook(SECRET).sign(name, now, BODY),
            "godwit-sequence": "7",
        }
        return httpx.post(self.url, content=body.encode(), headers=headers | more).status_code

    def rest(self) -> list[str]:
        """Ctrl-C, and what it said until then."""
        self.process.send_signal(signal.SIGINT)
        said = self.said.read().splitlines()
        assert self.process.wait(10) == 0
        return said


@contextmanager
def listening(*arguments: str) -> Iterator[Listening]:
    command = [sys.executable, "-m", "app.cli", "webhook", "listen", "--port", "0", *arguments]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, text=True, env=dict(os.environ)
    ) as process:
        try:
            yield Listening(process)
        finally:
            process.kill()


def test_it_says_what_came_whether_it_is_signed_and_what_came_before() -> None:
    """W2, W4 as a receiver sees them; Ctrl-C ends it with 0."""
    with listening("--secret", SECRET, "--answer", "500", "--answer", "200") as listener:
        assert listener.advice == "GODWIT_EGRESS_ALLOW=127.0.0.0/8"
        assert [listener.call(), listener.call(), listener.call(BODY + " ")] == [500, 200, 401]
        assert listener.call(**{"godwit-attempt": "2", "godwit-redelivery": "1"}) == 200
        assert httpx.get(listener.url).status_code == 405
        said = listener.rest()
    told = [line.partition(" ")[2] for line in said if not line.startswith(" ")]
    assert told == [
        "post.published #7 evt_1: verified; answered 500",
        "post.published #7 evt_1: verified; came before; answered 200",
        "post.published #7 evt_1: NOT VERIFIED, no signature fits;"
        " CAME BEFORE WITH ANOTHER BODY; answered 401",
        "post.published #7 evt_1: verified; came before; try 2; redelivery 1; answered 200",
    ]
    assert '        "title": "Zoë 😊"' in said


def test_a_program_reads_lines_of_json_and_nothing_is_verified_without_a_secret() -> None:
    with listening() as listener:
        assert listener.call("\x00not json", name="") == 200
        assert listener.rest()[0].endswith(
            " no event #7 without an id: not checked: give --secret; answered 200"
        )
    command = [sys.executable, "-m", "app.cli", "webhook", "listen", "--port", "0", "--json"]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        url = process.stderr.readline().split()[1]
        httpx.post(url, content=BODY.encode())
        told = json.loads(process.stdout.readline())
        process.terminate()
    assert (told["verified"], told["answered"], told["body"]) == (None, 200, json.loads(BODY))


def test_whatever_a_stranger_sends_is_answered_and_steers_no_terminal() -> None:
    with listening() as listener:
        for body in ("[" * 30_000, '"\\ud800"', "\x1b[2Jgone\u202e\x9b"):
            assert listener.call(body, name="evt_1") == 200
        said = listener.rest()
    assert not [line for line in said if not line.isprintable()]
    assert [line.strip() for line in said if "gone" in line] == [r"\x1b[2Jgone\u202e\x9b"]


def test_wrong_use_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["webhook", "listen", "--secret", "hunter2"]) == 2
    assert "whsec_" in capsys.readouterr().err
    assert run(["webhook", "listen", "--answer", "99"]) == 2
    assert run(["webhook", "listen", "--delay", "nan"]) == 2
