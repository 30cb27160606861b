"""Exit statuses and what is said (C1)."""

import socket
from pathlib import Path

import pytest

from app.base.errors import Invalid, Unavailable
from app.base.settings import settings
from app.cli import check, program, services


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]):
    return lambda: capsys.readouterr().err.strip()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["upp"], "No such command 'upp'"),
        (["services", "--dta", "x"], "No such option '--dta'"),
        (["web", "--port", "70000"], "70000 is not in the range"),
        (["up", "extra"], "unexpected extra argument"),
        (["chaos", "--minutes", "nan"], "nan is not a number in the range 0.1<=x<=600"),
        (["bench", "jobs", "--minutes", "inf"], "inf is not a number in the range x>=0.01"),
        (["chaos", "--data", ""], "'' names no folder; name one, or leave --data away for .data."),
        (["up", "--data", " "], "'' names no folder"),
        (["bench", "publish", "--accounts", "99999"], "99999 is not in the range 1<=x<=10000"),
    ],
)
def test_wrong_use_is_status_2_and_one_line_that_says_what_to_do(arguments, says, told) -> None:
    assert program.run(arguments) == 2
    line = told()
    assert says in line
    assert "--help)" in line
    assert "\n" not in line


@pytest.mark.parametrize(
    ("error", "status", "says"),
    [
        (Invalid("Give the account a name."), 2, "Give the account a name."),
        (Unavailable("The database cannot be reached."), 1, "The database cannot be reached."),
        (KeyboardInterrupt(), 130, "stopped."),
    ],
)
def test_an_error_people_can_act_upon_is_one_line(error, status, says, told, monkeypatch) -> None:
    def raises(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(services.Services, "start", raises)
    assert program.run(["services"]) == status
    assert told() == says


def test_wrong_settings_are_all_listed(told, monkeypatch) -> None:
    for name in ("DATABASE_URL", "REDIS_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GODWIT_SEND_RATTE", "5")
    settings.cache_clear()
    assert program.run(["worker"]) == 2
    said = told()
    assert all(name in said for name in ("DATABASE_URL", "REDIS_URL", "GODWIT_SEND_RATTE"))
    settings.cache_clear()


def test_wrong_settings_stop_up_before_anything_starts(told, monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GODWIT_LEASE", "soon")
    assert program.run(["up", "--port", "0", "--data", str(tmp_path / "data")]) == 2
    assert "GODWIT_LEASE" in told()
    assert not (tmp_path / "data" / "postgres").exists()


@pytest.mark.parametrize("arguments", [["chaos"], ["bench", "shares"], ["services"], ["up", "--port", "0"]])
def test_a_data_folder_that_cannot_be_made_is_told_before_anything_starts(
    arguments, told, monkeypatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("GODWIT_DATA", str(tmp_path / "file" / "data"))
    assert program.run(arguments) == 2
    *_, line = told().splitlines()
    assert f"{tmp_path}/file/data cannot be used (Not a directory); choose another" in line


def test_a_port_in_use_is_named_before_anything_starts(told, tmp_path: Path) -> None:
    """C4"""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert program.run(["up", "--port", port, "--data", str(tmp_path / "data")]) == 2
    said = told()
    assert port in said
    assert "--port" in said
    assert not (tmp_path / "data").exists()


def test_a_database_out_of_reach_is_one_line_and_status_1(told, monkeypatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://nobody:x@127.0.0.1:1/none")
    monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1:1")
    settings.cache_clear()
    assert program.run(["migrate"]) == 1
    assert told().startswith("The database at DATABASE_URL cannot be reached")
    settings.cache_clear()


def test_a_failed_check_prints_what_was_found_and_its_fix(capsys: pytest.CaptureFixture[str]) -> None:
    steps = (
        check.Step("fine", ("true",), "-"),
        check.Step("sore", ("sh", "-c", "echo found; exit 3"), "do this"),
    )
    assert [step.name for step in check.run_steps(steps)] == ["sore"]
    said = capsys.readouterr().out
    assert "ok      fine" in said
    assert "found\nfailed  sore" in said
    assert "Fix: do this" in said


def test_every_command_of_the_table_exists() -> None:
    for name in program.COMMANDS:
        assert program.run([name, "--help"]) == 0


@pytest.mark.parametrize("arguments", [["jobs"], ["account", "list"], ["switch"]])
def test_a_folder_without_a_godwit_is_told_and_none_is_begun(arguments, told, monkeypatch, tmp_path) -> None:
    for name in ("DATABASE_URL", "REDIS_URL"):
        monkeypatch.delenv(name, raising=False)
    assert program.run([*arguments, "--data", str(tmp_path / "typo")]) == 2
    assert "There is no Godwit in" in told()
    assert not (tmp_path / "typo").exists()


def test_a_database_that_is_away_is_named(told, settings_env, monkeypatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://u:secret@127.0.0.1:1/godwit")
    for role in ("WEB", "WORKER", "OPERATOR"):
        monkeypatch.delenv(f"GODWIT_{role}_DATABASE_URL", raising=False)
    settings.cache_clear()
    assert program.run(["jobs"]) == 1
    said = told()
    assert "DATABASE_URL leads to 127.0.0.1:1" in said
    assert "secret" not in said
    settings.cache_clear()


def test_of_what_is_no_matter_of_the_database_none_is_named(told, settings_env, monkeypatch) -> None:
    def raises(*_: object, **__: object) -> None:
        raise Unavailable("TLS needs a certificate.")

    monkeypatch.setattr(services.Services, "start", raises)
    monkeypatch.setenv("DATABASE_URL", "postgresql://127.0.0.1:1/godwit")
    assert program.run(["services"]) == 1
    assert told() == "TLS needs a certificate."


def test_no_queue_at_all_is_wrong_use(told, settings_env) -> None:
    assert program.run(["worker", "--queues", ""]) == 2
    assert "There is no queue ''" in told()


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert program.run(["--version"]) == 0
    assert capsys.readouterr().out.startswith("godwit ")
