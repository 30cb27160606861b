"""`godwit fakes`: a server that people can send to and see what came."""

import os
import smtplib
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from app.base.errors import Invalid
from app.cli.program import run
from app.fakes import Fault, fault_of

ROOT = Path(__file__).parents[2]


@contextmanager
def fakes(*arguments: str) -> Iterator[tuple[dict[str, str], "subprocess.Popen[str]"]]:
    """The command, running: what it told, and its process."""
    command = [sys.executable, "-m", "app.cli", "fakes", "--smtp-port", "0", *arguments]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, text=True, env=dict(os.environ)
    ) as process:
        assert process.stdout is not None
        told = dict(line.strip().split("=", 1) for line in iter(process.stdout.readline, "ready\n"))
        try:
            yield told, process
        finally:
            process.terminate()


def test_it_keeps_what_it_is_sent_and_fails_as_ordered() -> None:
    with fakes("--fault", "1x end drop kept", "--user", "ana:p@ss") as (told, process):
        assert told["GODWIT_MAIL_PROVIDER"] == "smtp"
        address = urlsplit(told["GODWIT_SMTP_URL"])
        assert (address.scheme, address.username, address.password) == ("smtp", "ana", "p%40ss")
        with smtplib.SMTP("127.0.0.1", address.port or 0) as client:
            client.login("ana", "p@ss")
            with pytest.raises(smtplib.SMTPServerDisconnected):
                client.sendmail("a@x.example", "b@x.example", "Subject: Hello\r\n\r\nBen")
        with smtplib.SMTP("127.0.0.1", address.port or 0) as client:
            client.login("ana", "p@ss")
            client.sendmail("a@x.example", "b@x.example", "Subject: Again\r\n\r\nBen")
        process.terminate()
        assert process.stdout is not None
        assert process.stdout.read().splitlines() == [
            "kept b@x.example: Hello (its sender was not told)",
            "kept b@x.example: Again",
            "2 mails were kept, over 2 connections.",
        ]
        assert process.wait(10) == 0


def test_an_order_that_cannot_be_read_is_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["fakes", "--fault", "lunch drop"]) == 2
    assert "the steps are greeting" in capsys.readouterr().err
    assert run(["fakes", "--user", "ana"]) == 2


@pytest.mark.parametrize(
    ("order", "fault"),
    [
        ("DATA drop", Fault("DATA", "drop", times=None)),
        ("3x end drop kept", Fault("end", "drop", kept=True, times=3)),
        ("end stall kept for a@b.example", Fault("end", "stall", kept=True, to="a@b.example", times=None)),
        ("end slow 2.5", Fault("end", "slow", delay=2.5, times=None)),
        ("2x RCPT say 550 5.1.1 Gone for a@b.example",
         Fault("RCPT", "say", text="550 5.1.1 Gone", to="a@b.example", times=2)),
    ],
)  # fmt: skip
def test_a_fault_is_ordered_in_words(order: str, fault: Fault) -> None:
    assert fault_of(order) == fault


@pytest.mark.parametrize(
    "order", ["", "end", "end drop twice", "0 drop", "end say hello", "end slow", "x" * 50]
)
def test_what_is_no_order_is_told(order: str) -> None:
    with pytest.raises(Invalid):
        fault_of(order)


@pytest.mark.parametrize(
    ("order", "why"),
    [
        ("0x end drop", "no time at all"),
        ("RCPT stall kept", "no mail yet to be kept; only at end"),
        ("body drop kept", "only at end"),
        ("EHLO drop for a@b.example", "leave out for a@b.example"),
    ],
)
def test_a_fault_that_would_never_happen_is_refused_in_a_sentence(order: str, why: str) -> None:
    with pytest.raises(Invalid, match=why):
        fault_of(order)
