"""The embedded servers: C2, C3, C4 of app/cli, and what becomes of data when something is killed."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import asyncpg
import pytest

from app.base.errors import Conflict
from app.cli.children import command_line
from app.cli.environment import inherited
from app.cli.folder import ROOT
from app.cli.identity import NOBODY, Identity
from app.cli.services import Services

TOLD = dict.fromkeys(("DATABASE_URL", "REDIS_URL"), "")


@contextmanager
def godwit(*arguments: str) -> Iterator["subprocess.Popen[str]"]:
    """The command, as a process of its own; killed at the end if it still runs."""
    process = subprocess.Popen(
        [sys.executable, "-m", "app.cli", *arguments],
        cwd=ROOT,
        env=inherited(**TOLD),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def lines_until_ready(process: "subprocess.Popen[str]") -> dict[str, str]:
    assert process.stdout
    found: dict[str, str] = {}
    for line in process.stdout:
        if line.strip() == "ready":
            return found
        name, _, value = line.strip().partition("=")
        found[name] = value
    raise AssertionError(f"never ready: {process.stderr.read() if process.stderr else ''}")


def wait_for(holds: Callable[[], bool], seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


def sql(url: str, statement: str) -> object:
    async def ask() -> object:
        connection = await asyncpg.connect(url)
        try:
            return await connection.fetchval(statement)
        finally:
            await connection.close()

    return asyncio.run(ask())


def postmaster(data: Path) -> int:
    return int((data / "postgres" / "postmaster.pid").read_text().split("\n", 1)[0])


@pytest.mark.parametrize("signum", [signal.SIGTERM, signal.SIGINT])
def test_services_prints_its_two_lines_and_stops_with_status_0(tmp_path: Path, signum: int) -> None:
    """C2"""
    with godwit("services", "--data", str(tmp_path)) as process:
        told = lines_until_ready(process)
        assert sql(told["DATABASE_URL"], "select 1") == 1
        assert told["REDIS_URL"].startswith("redis://:")
        server = postmaster(tmp_path)
        process.send_signal(signum)
        assert process.wait(20) == 0
        assert command_line(server) == ""


def test_after_kill_9_nothing_is_left_running_and_the_next_start_finds_all_data(tmp_path: Path) -> None:
    """C3: a commit that was answered is there, at the same address."""
    with godwit("services", "--data", str(tmp_path)) as process:
        first = lines_until_ready(process)
        sql(first["DATABASE_URL"], "create table kept as select 42 as n")
        server = postmaster(tmp_path)
        process.kill()
        wait_for(lambda: command_line(server) == "")
    with godwit("services", "--data", str(tmp_path)) as process:
        assert lines_until_ready(process) == first
        assert sql(first["DATABASE_URL"], "select n from kept") == 42


def test_a_start_right_after_kill_9_of_everything_recovers(tmp_path: Path) -> None:
    """C3, also when PostgreSQL itself was killed and left its pid file behind."""
    with godwit("services", "--data", str(tmp_path)) as process:
        told = lines_until_ready(process)
        sql(told["DATABASE_URL"], "create table kept as select 42 as n")
        server = postmaster(tmp_path)
        process.kill()
        os.kill(server, signal.SIGKILL)
    (tmp_path / "postgres" / "postmaster.pid").write_text(
        f"{os.getpid()}\n"
    )  # the number is someone else's now
    with Services(tmp_path) as services:
        assert sql(services.database_url, "select n from kept") == 42


def test_a_second_start_on_the_same_folder_is_refused_in_one_line(tmp_path: Path) -> None:
    """C1, C4"""
    with Services(tmp_path, durable=False):
        with pytest.raises(Conflict, match="in use by process"):
            Services(tmp_path).start()
        with godwit("services", "--data", str(tmp_path)) as process:
            said = process.communicate(timeout=20)
            assert (process.returncode, said[0], said[1].count("\n")) == (2, "", 1)
            assert f"process {os.getpid()}" in said[1]


def test_a_server_that_ends_unasked_is_started_again_at_its_address(tmp_path: Path) -> None:
    with Services(tmp_path, durable=False) as services:
        before = services.database_url, services.redis_url
        os.kill(postmaster(tmp_path), signal.SIGKILL)
        assert services.postgres
        wait_for(lambda: services.postgres is not None and not services.postgres.running)
        assert services.revive() == ["Postgres"]
        assert (services.database_url, services.redis_url) == before
        assert sql(services.database_url, "select 1") == 1


def test_a_port_taken_by_another_is_left_to_them(tmp_path: Path) -> None:
    with Services(tmp_path / "one", durable=False) as one:
        (tmp_path / "two").mkdir()
        Services(tmp_path / "two").folder.keep("postgres", one.folder.kept("postgres"))
        with Services(tmp_path / "two", durable=False) as two:
            assert sql(two.database_url, "select 1") == 1
            assert two.database_url != one.database_url


def test_passwords_are_for_the_owner_alone(tmp_path: Path) -> None:
    with Services(tmp_path, durable=False) as services:
        password = services.database_url.split(":")[2].split("@")[0]
        assert (tmp_path / "postgres.json").stat().st_mode & 0o077 == 0
        assert password not in command_line(postmaster(tmp_path))
        with pytest.raises(asyncpg.InvalidPasswordError):
            sql(services.database_url.replace(password, "wrong"), "select 1")


def test_a_lost_password_is_made_anew(tmp_path: Path) -> None:
    with Services(tmp_path, durable=False):
        pass
    (tmp_path / "postgres.json").unlink()
    with Services(tmp_path, durable=False) as services:
        assert sql(services.database_url, "select 1") == 1


def test_durability_is_on_unless_a_test_gives_it_up(tmp_path: Path) -> None:
    with Services(tmp_path) as services:
        assert sql(services.database_url, "select current_setting('fsync')") == "on"
        assert sql(services.database_url, "select current_setting('synchronous_commit')") == "on"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has to become somebody else")
def test_root_without_namespaces_runs_a_copy_as_nobody() -> None:
    with open_folder() as data, Services(data, durable=False, who=Identity(user=NOBODY)) as services:
        assert sql(services.database_url, "select 1") == 1


@contextmanager
def open_folder() -> Iterator[Path]:
    """A folder that nobody may enter; pytest's own are for their owner alone."""
    path = Path(tempfile.mkdtemp(prefix="godwit-open-"))
    path.chmod(0o755)
    try:
        yield path
    finally:
        shutil.rmtree(path)
