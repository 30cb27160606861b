"""`godwit switch …` on the database of the settings."""

import json
from collections.abc import Callable

import pytest

from app.base.settings import Settings
from app.cli import program

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def godwit(settings_env: Settings, capsys: pytest.CaptureFixture[str]) -> Command:
    """Run a command; answers its status and what it wrote to stdout and stderr."""

    def run(*arguments: str) -> tuple[int, str, str]:
        status = program.run(list(arguments))
        written = capsys.readouterr()
        return status, written.out.strip(), written.err.strip()

    return run


def test_mail_is_stopped_and_started_for_everybody(godwit: Command) -> None:
    assert godwit("switch") == (0, "Mail goes, for everybody.", "")
    status, said, _ = godwit("switch", "on", "--reason", "A leak")
    assert status == 0
    assert "Mail for everybody is stopped" in said
    assert "godwit account code" in said
    status, listed, _ = godwit("switch")
    assert "Mail for everybody: stopped (all) since" in listed
    assert "A leak" in listed
    (line,) = json.loads(godwit("switch", "--json")[1])["items"]
    assert (line["account"], line["on"], line["scope"], line["reason"]) == (None, True, "all", "A leak")
    assert godwit("switch", "off", "--reason", "Closed")[1] == "Mail for everybody is started."
    told = godwit("switch")[1].splitlines()
    assert told[0] == "Mail goes, for everybody."
    assert ["stopped all" in line for line in told].count(True) == 1
    status, _, why = godwit("switch", "let-go")
    assert (status, why) == (2, "Nothing was let go: nothing is held.")
    status, _, why = godwit("switch", "off", "--reason", "Closed")
    assert (status, why) == (2, "That mail is not stopped: there is nothing to start.")


def test_one_account_is_stopped_by_its_name(godwit: Command) -> None:
    godwit("account", "create", "--email", "ann@example.org", "--name", "Ann's notes", "--slug", "anns-notes")
    status, said, _ = godwit(
        "switch", "on", "--account", "anns-notes", "--scope", "bulk", "--reason", "Complaints"
    )
    assert (status, said.splitlines()[0]) == (
        0,
        "Mail to readers of anns-notes is stopped. What was already handed over may still arrive.",
    )
    assert "Mail of anns-notes: stopped (bulk)" in godwit("switch")[1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("on",), "--reason"),
        (("on", "--reason", "  "), "Say why"),
        (("on", "--reason", "x", "--scope", "some"), "--scope"),
        (("on", "--reason", "x", "--account", "nobody"), "There is no account 'nobody'"),
        (("let-go", "--account", "nobody"), "There is no account 'nobody'"),
    ],
)
def test_wrong_use_is_one_line_that_says_what_to_do(
    godwit: Command, arguments: tuple[str, ...], said: str
) -> None:
    status, _, why = godwit("switch", *arguments)
    assert status == 2
    assert said in why
    assert len(why.splitlines()) == 1
