"""A Godwit of its own: its processes, and what can be done to them. Only what it started is ever touched."""

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from app.base.errors import Unavailable
from app.proof.chaos.asking import Caller

Process = subprocess.Popen[bytes]
Spawn = Callable[[Sequence[str], Mapping[str, str], Path], Process]
#: Short patience, so that what a dead worker left is taken up soon, and kills hit something.
SETTINGS = {
    "GODWIT_MODE": "testing",
    "GODWIT_SEND_RATE": "30",
    "GODWIT_SEND_BATCH": "10",
    "GODWIT_SEND_TIMEOUT": "3",
    "GODWIT_WEBHOOK_TIMEOUT": "3",
    "GODWIT_LEASE": "10",
    "GODWIT_TRUST_WINDOW": "30",
    "GODWIT_EGRESS_ALLOW": "127.0.0.0/8",
    # Three workers of many queues each and the web beside them, on one small server.
    "GODWIT_WORKER_POOL": "3",
}
#: Mail by SMTP instead of the mailbox: one a call, and nobody to ask what became of it.
SMTP = {"GODWIT_MAIL_PROVIDER": "smtp", "GODWIT_SMTP_DOT_TIMEOUT": "4", "GODWIT_SEND_BATCH": "1"}
#: Seconds until a process answers, and those that one may take to end: its longest call + 15.
START, GRACE = 90.0, 18.0


def longest_lease(provider: str) -> float:
    """Seconds that a job is held at most, unless it says more; by SMTP an answer may take longer."""
    lease, call = float(SETTINGS["GODWIT_LEASE"]), float(SETTINGS["GODWIT_SEND_TIMEOUT"])
    return (
        max(lease, (call + float(SMTP["GODWIT_SMTP_DOT_TIMEOUT"]) + 15) / 0.9)
        if provider == "smtp"
        else lease
    )


class Servers(Protocol):
    """PostgreSQL and Valkey of the house; `crash` is for the first, `kill` for the second."""

    @property
    def database_url(self) -> str: ...
    @property
    def redis_url(self) -> str: ...
    def crash_postgres(self) -> None: ...
    def kill_valkey(self) -> None: ...
    def revive(self) -> list[str]: ...


@dataclass
class Freeze:
    """A process did nothing from `begun` to `ended` (seconds since 1970; None: it still does nothing)."""

    pid: int
    begun: float
    ended: float | None = None


@dataclass
class House:
    """`environment`: what all get beside the settings; `workers`: the queues of each worker process.

    `deaf` were asked to end before they had begun to listen: they end at once, and hold nothing.
    Started by `start`, ended by `stop`.
    """

    folder: Path
    servers: Servers
    spawn: Spawn
    environment: Mapping[str, str]
    workers: Sequence[str]
    provider: Literal["mailbox", "smtp"] = "mailbox"
    freezes: list[Freeze] = field(default_factory=list[Freeze])
    falls: list[str] = field(default_factory=list[str])
    slow_ends: list[str] = field(default_factory=list[str])
    deaf: set[int] = field(default_factory=set[int])
    children: dict[str, Process] = field(default_factory=dict[str, Process])
    _leaving: list[tuple[str, Process, float]] = field(default_factory=list[tuple[str, Process, float]])

    def start(self) -> None:
        """Start the processes and wait until the web answers. Raises Unavailable."""
        self.port, self.receiver_port, self.smtp_port, self.desk_port = (_free_port() for _ in range(4))
        self.calls, self.mails = self.folder / "calls.jsonl", self.folder / "mails.jsonl"
        self.caller = Caller(self.port)
        made = self.spawn(
            [sys.executable, "-m", "app.cli", "migrate"], self._environment(), self.folder / "migrate.log"
        )
        if made.wait():
            raise Unavailable(f"The database could not be made; why is in {self.folder / 'migrate.log'}.")
        for name in self.names():
            self.bring_up(name)
        self.answers()

    def names(self) -> list[str]:
        """The processes there should be."""
        office = ["post-office"] if self.provider == "smtp" else []
        return ["receiver", *office, "web", *(f"worker-{n}" for n in range(len(self.workers)))]

    def bring_up(self, name: str) -> None:
        """Start a process that does not run."""
        if name not in self.children:
            self.children[name] = self.spawn(
                self._command(name), self._environment(), self.folder / f"{name}.log"
            )

    def kill(self, name: str) -> None:
        """SIGKILL, at whatever instruction it is; it stays dead until it is begun."""
        if one := self.children.pop(name, None):
            self._thaw(one.pid)
            one.kill()
            one.wait()

    def freeze(self, name: str) -> None:
        """SIGSTOP."""
        if (one := self.children.get(name)) and one.poll() is None:
            one.send_signal(signal.SIGSTOP)
            self.freezes.append(Freeze(one.pid, time.time()))

    def wake(self, name: str) -> None:
        """SIGCONT."""
        if one := self.children.get(name):
            one.send_signal(signal.SIGCONT)
            self._thaw(one.pid)

    def wake_all(self) -> None:
        """SIGCONT for everyone; whoever stood still by a failpoint did so for an unknown while before."""
        for name, one in self.children.items():
            if is_frozen(one.pid) and not any(f.pid == one.pid and f.ended is None for f in self.freezes):
                self.freezes.append(Freeze(one.pid, 0.0))
            self.wake(name)

    def leave(self, name: str) -> None:
        """SIGTERM. The one after it, for a worker, may begin at once; a web process frees its port first."""
        if one := self.children.pop(name, None):
            self._thaw(one.pid)
            one.send_signal(signal.SIGCONT)
            if not listens(one.pid):
                self.deaf.add(one.pid)
            one.terminate()
            self._leaving.append((name, one, time.monotonic()))
            if name == "web":
                self._ended(len(self._leaving) - 1)

    def tend(self) -> None:
        """Begin again what a failpoint killed; see who has left."""
        for name, one in list(self.children.items()):
            if (status := one.poll()) is not None:
                if status != -signal.SIGKILL:
                    self.falls.append(f"{name} ended unasked with status {status}")
                self._thaw(one.pid)
                del self.children[name]
                self.bring_up(name)
        for place in reversed(range(len(self._leaving))):
            name, one, since = self._leaving[place]
            if one.poll() is not None or time.monotonic() - since > GRACE + 4:
                self._ended(place)

    def mend(self) -> None:
        """Nothing is wrong any more: everybody runs. Raises Unavailable when the web does not answer."""
        self.servers.revive()
        self.wake_all()
        self.tend()
        while self._leaving:
            self._ended(0)
        for name in self.names():
            self.bring_up(name)
        self.answers()

    def answers(self) -> None:
        """Wait until the web process answers."""
        if self.caller.ask("GET", "/healthz", patience=START).status != 200:
            raise Unavailable(f"The web process does not answer; its words are in {self.folder / 'web.log'}.")

    def stop(self) -> None:
        """End everybody."""
        for one in [*self.children.values(), *(one for _, one, _ in self._leaving)]:
            one.send_signal(signal.SIGCONT)
            one.kill()
            one.wait()
        self.children.clear()
        self._leaving.clear()

    def owner_url(self) -> str:
        """The database as its owner."""
        return self.servers.database_url

    def _ended(self, place: int) -> None:
        name, one, since = self._leaving.pop(place)
        try:
            status = one.wait(max(0.0, since + GRACE + 4 - time.monotonic()))
        except subprocess.TimeoutExpired:
            one.kill()
            one.wait()
            self.slow_ends.append(f"{name} did not end within {GRACE:g} s of SIGTERM")
            return
        early = status == -signal.SIGTERM and one.pid in self.deaf
        struck = status == -signal.SIGKILL  # by a failpoint on its way out: nobody else kills who is leaving
        if status and not (early or struck):
            self.slow_ends.append(f"{name} ended with status {status} after SIGTERM")

    def _thaw(self, pid: int) -> None:
        for one in self.freezes:
            if one.pid == pid and one.ended is None:
                one.ended = time.time()

    def _command(self, name: str) -> list[str]:
        if name == "receiver":
            words = ["app.proof.chaos.receiver", str(self.receiver_port), str(self.calls)]
        elif name == "post-office":
            ports = (str(self.smtp_port), str(self.desk_port))
            words = ["app.proof.chaos.post_office", *ports, str(self.mails)]
        elif name == "web":
            words = ["app.cli", "web", "--port", str(self.port)]
        else:
            words = ["workers", "--queues", self.workers[int(name.rpartition("-")[2])]]
        return [sys.executable, "-m", *words]

    def _environment(self) -> dict[str, str]:
        return {
            **self.environment,
            **SETTINGS,
            **(
                SMTP | {"GODWIT_SMTP_URL": f"smtp://127.0.0.1:{self.smtp_port}"}
                if self.provider == "smtp"
                else {}
            ),
            "DATABASE_URL": self.servers.database_url,
            "REDIS_URL": self.servers.redis_url,
            "GODWIT_DATA": str(self.folder),
            "GODWIT_BASE_URL": f"http://localhost:{self.port}",
        }


def is_frozen(pid: int) -> bool:
    """Whether a process is stopped, as far as the system tells."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] == "T"


def listens(pid: int) -> bool:
    """Whether a process has somebody for SIGTERM, as far as the system tells."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
    caught = next(line.split()[1] for line in status.splitlines() if line.startswith("SigCgt:"))
    return bool(int(caught, 16) >> (signal.SIGTERM - 1) & 1)


def redis(url: str, *words: str) -> None:
    """One command to Valkey, over its own line protocol; nothing when it is away."""
    _, _, rest = url.partition("://:")
    password, _, place = rest.partition("@")
    host, _, port = place.partition("/")[0].partition(":")
    lines = f"AUTH {password}\r\n{' '.join(words)}\r\nQUIT\r\n"
    try:
        with socket.create_connection((host, int(port)), timeout=2) as talk:
            talk.sendall(lines.encode())
            while talk.recv(4096):
                pass
    except OSError:
        return


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: Any = one.getsockname()[1]
        return port
