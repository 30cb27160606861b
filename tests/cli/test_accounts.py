"""`godwit account …` on the database of the settings."""

import json
import socket
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


@pytest.fixture
def account(godwit: Command) -> str:
    status, _, said = godwit(
        "account", "create", "--email", "Ann@Example.org", "--name", "Ann's notes", "--slug", "anns-notes"
    )
    assert status == 0, said
    return "anns-notes"


def test_an_account_that_was_created_is_listed(godwit: Command, account: str) -> None:
    status, listed, _ = godwit("account", "list", "--json")
    (line,) = json.loads(listed)["items"]
    assert (status, line["slug"], line["name"]) == (0, account, "Ann's notes")
    assert account in godwit("account", "list")[1]


def test_without_an_account_the_list_says_how_to_make_one(godwit: Command) -> None:
    assert "account create" in godwit("account", "list")[1]
    assert godwit("account", "list", "--json")[1] == '{"items":[]}'


def test_a_code_is_six_digits_and_for_those_who_sign_in_here(godwit: Command, account: str) -> None:
    status, code, _ = godwit("account", "code", "--email", "ann@example.org")
    assert status == 0
    assert code.split()[0].isdigit()
    assert len(code.split()[0]) == 6
    status, out, said = godwit("account", "code", "--email", "nobody@example.org")
    assert (status, out) == (2, "")
    assert "account create" in said


def test_a_key_is_printed_once_and_alone(godwit: Command, account: str) -> None:
    status, key, said = godwit("account", "token", "--slug", account, "--name", "ci")
    assert (status, said) == (0, "")
    assert key.startswith("gdw_")
    assert (
        json.loads(godwit("account", "token", "--slug", account, "--name", "ci", "--json")[1])["token"] != key
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ("create", "--email", "not an address", "--name", "N", "--slug", "other"),
        ("create", "--email", "b@example.org", "--name", "", "--slug", "other"),
        ("create", "--email", "b@example.org", "--name", "N", "--slug", "Not a Slug"),
        ("create", "--email", "b@example.org", "--name", "N", "--slug", "anns-notes"),
        ("create", "--email", "b@example.org", "--name", "N\x00", "--slug", "other"),
        ("create", "--name", "N", "--slug", "other"),
        ("code", "--email", "not an address"),
        ("token", "--slug", "unknown", "--name", "ci"),
        ("token", "--slug", "anns-notes", "--name", ""),
    ],
)
def test_what_cannot_be_used_is_one_line_and_changes_nothing(
    godwit: Command, account: str, arguments
) -> None:
    status, out, said = godwit("account", *arguments)
    assert (status, out, said.count("\n")) == (2, "", 0)
    assert len(json.loads(godwit("account", "list", "--json")[1])["items"]) == 1


@pytest.mark.parametrize("name", ["\udcff", "\u202e\u202e", "a\u202eb", "a\nb", "\u200b"])
def test_a_name_that_cannot_be_kept_or_seen_is_wrong_use(godwit: Command, account: str, name: str) -> None:
    """A terminal hands bytes that are no UTF-8 over as lone surrogates."""
    for command in (
        ("create", "--email", "bob@example.org", "--slug", "bobs", "--name", name),
        ("token", "--slug", account, "--name", name),
    ):
        status, out, said = godwit("account", *command)
        assert (status, out, said.count("\n")) == (2, "", 0), said
    assert godwit("account", "token", "--slug", "\udcff", "--name", "ci")[0] == 2
    status, _, said = godwit(
        "account", "create", "--email", "b@example.org", "--slug", "b", "--name", "B", "--address", "\udcff"
    )
    assert (status, said) == (2, "There is a control character in the address. Type it anew.")


def test_a_worker_of_a_queue_that_is_not_there_is_wrong_use(godwit: Command) -> None:
    status, _, said = godwit("worker", "--queues", "sends,nope")
    assert (status, said.count("\n")) == (2, 0)
    assert "'nope'" in said


def test_a_port_that_is_taken_is_said_in_one_line(godwit: Command) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        status, _, said = godwit("web", "--port", str(taken.getsockname()[1]))
    assert (status, said.count("\n")) == (2, 0)
    assert "is in use" in said
