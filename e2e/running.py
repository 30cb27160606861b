"""A whole Godwit as a child process: `godwit up --testing`, and what a tester asks of it over HTTP."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit, urlunsplit

from app.cli.environment import inherited
from app.cli.folder import ROOT

START_SECONDS = 120.0
STOP_SECONDS = 30.0
LOOK = 0.05
_TOLD = ("DATABASE_URL", "REDIS_URL")


@dataclass(frozen=True)
class Account:
    """A publication as testing mode makes it. `storage_state` is Playwright's."""

    slug: str
    email: str
    api: "Api"
    storage_state: dict[str, Any]


@dataclass(frozen=True)
class Mailed:
    """One mail as the mailbox got it."""

    to: str
    subject: str
    text: str
    html: str
    code: str
    links: tuple[str, ...]
    raw: bytes

    def header(self, name: str) -> list[bytes]:
        """The raw lines of a header, a folded one as the several lines it is."""
        found: list[bytes] = []
        for line in self.raw.split(b"\r\n\r\n", 1)[0].split(b"\r\n"):
            if line.lower().startswith(name.lower().encode() + b":") or (found and line[:1] in (b" ", b"\t")):
                found.append(line)
            elif found:
                break
        return found


class Godwit:
    """A running installation in a folder of its own, with these settings; its words are kept in `log`."""

    def __init__(self, folder: Path, settings: Mapping[str, str] | None = None) -> None:
        self.folder = folder
        self._settings = dict(settings or {})
        self.log = folder / "godwit.log"
        self._ready = folder / "ready.json"
        self._process = self._start()
        self.addresses: dict[str, str] = self._wait()

    @property
    def studio(self) -> str:
        """The studio's address, without a slash at the end."""
        return self.addresses["studio"]

    @property
    def pid(self) -> int:
        """Its process, whose children are web, workers and servers."""
        return self._process.pid

    def site(self, slug: str) -> str:
        """An account's site."""
        parts = urlsplit(self.studio)
        return f"{parts.scheme}://{slug}.localhost:{parts.port}"

    def an_account(self, **wanted: int) -> "Account":
        """A publication made at once; `seed=`, `readers=`, `posts=`, `newsletters=` say what it holds."""
        made = self.call("POST", "/testing/accounts", wanted)
        return Account(
            made["slug"], made["creator"]["email"], Api(self, made["api_key"]), made["storage_state"]
        )

    def signed_in(self, email: str) -> dict[str, Any]:
        """A browser's state in which this creator is signed in, without the mail."""
        return self.call("POST", "/testing/sign-in", {"email": email})["storage_state"]

    def account(
        self,
        slug: str,
        email: str,
        name: str,
        address: str = "1 Harbour Road, Deal",
        *,
        operator: bool = False,
    ) -> None:
        """Make a creator, who may be an operator, and their publication by the command."""
        named = ["--slug", slug, "--email", email, "--name", name, *(["--operator"] if operator else [])]
        self._command("account", "create", *named, *(["--address", address] if address else []))

    def api(self, slug: str) -> "Api":
        """The JSON API with a new key of the account's."""
        made = json.loads(self._command("account", "token", "--slug", slug, "--name", "e2e", "--json"))
        return Api(self, made["token"])

    def mails(self, **wanted: Any) -> list[Mailed]:
        """What the mailbox holds, newest first; `wait=10` answers at the first match."""
        found = self.call("GET", f"/testing/mailbox?{urlencode(wanted)}")["items"]
        return [
            Mailed(
                one["to"],
                one["subject"],
                one["text"],
                one["html"] or "",
                one["code"] or "",
                tuple(one["links"]),
                b64decode(one["raw_base64"]),
            )
            for one in found
        ]

    def drain(self, *, ahead: int = 0) -> None:
        """Wait until nothing is due or in hand; the clock is moved to what is due within `ahead` seconds."""
        later = {"advance": True, "until": ahead} if ahead else {}
        told = self.call("POST", "/testing/drain", {"timeout": 60, **later})
        assert told["quiet"], told["waiting"]

    def slow(self, delay: float, **when: Any) -> None:
        """Let the provider take so long (s) over each call from now on, or over `times=` of them."""
        self.call("POST", "/testing/faults", {"target": "provider", "kind": "slow", "delay": delay, **when})

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """One call to the studio's host, JSON both ways."""
        octets = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"} | {
            name.replace("_", "-"): value for name, value in headers.items()
        }
        asked = urllib.request.Request(self.studio + path, octets, headers, method=method)
        with urllib.request.urlopen(asked, timeout=90) as answer:
            return json.loads(answer.read())

    def ask(self, url: str, body: bytes | None = None, cookie: str = "") -> bytes:
        """One request as a program makes it; names below localhost need no resolver."""
        parts = urlsplit(url)
        here = urlunsplit(parts._replace(netloc=f"127.0.0.1:{parts.port}"))
        headers = {"Host": parts.netloc} | ({"Cookie": cookie} if cookie else {})
        with urllib.request.urlopen(urllib.request.Request(here, body, headers), timeout=30) as answer:
            return answer.read()

    def words(self, most: int = 4000) -> str:
        """The end of its log."""
        return self.log.read_text(errors="replace")[-most:]

    def stop(self) -> None:
        """Ctrl-C; killed with all its children when it does not heed."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            try:
                self._process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(self._process.pid, signal.SIGKILL)
                self._process.wait()

    def _start(self) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", "app.cli", "up", "--testing", "--port", "0"]
        with self.log.open("wb") as log:
            return subprocess.Popen(
                [*command, "--data", str(self.folder / "data"), "--ready-file", str(self._ready)],
                cwd=ROOT,
                env=_plain() | self._settings,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def _wait(self) -> dict[str, str]:
        deadline = time.monotonic() + START_SECONDS
        while not self._ready.exists():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise AssertionError(f"godwit up did not come up:\n{self.words()}")
            time.sleep(LOOK)
        return json.loads(self._ready.read_text())

    def _command(self, *arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "app.cli", *arguments, "--data", str(self.folder / "data")],
            cwd=ROOT,
            env=_plain() | self._settings,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def _plain() -> dict[str, str]:
    """Our environment without the settings of another Godwit."""
    kept = {name: value for name, value in inherited().items() if not name.startswith("GODWIT_")}
    return kept | dict.fromkeys(_TOLD, "")


class Api:
    """The JSON API as a program calls it."""

    def __init__(self, godwit: Godwit, key: str) -> None:
        self._godwit, self._key = godwit, key

    def get(self, path: str) -> Any:
        """What stands there."""
        return self._call("GET", path, None)

    def post(self, path: str, body: Any) -> Any:
        """Make or do something."""
        return self._call("POST", path, body)

    def patch(self, path: str, body: Any) -> Any:
        """Change something."""
        return self._call("PATCH", path, body)

    def put(self, path: str, body: Any) -> Any:
        """Let something stand so."""
        return self._call("PUT", path, body)

    def import_readers(self, csv: bytes) -> dict[str, Any]:
        """Import a members file, and wait until it is in."""
        made = self._call("POST", "/imports", csv, Content_Type="text/csv")
        self._godwit.drain()
        return self.get(f"/imports/{made['id']}")

    def _call(self, method: str, path: str, body: Any, **headers: str) -> Any:
        headers = {"Authorization": f"Bearer {self._key}"} | headers
        return self._godwit.call(method, f"/api/v1{path}", body, **headers)
