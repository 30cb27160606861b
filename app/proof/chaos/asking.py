"""Asking over HTTP as programs and browsers do, and a diary of what was asked and answered."""

import http.client
import os
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import msgspec

#: Seconds of one try, and between two. Programs try for so long what got no answer.
TRY, PAUSE, PATIENCE = 12.0, 0.3, 25.0
#: Nobody answered, in the place of a status.
SILENCE = 0


class HungUp(Exception):
    """The run is over, and nobody waits for the answer."""


class Entry(msgspec.Struct, frozen=True):
    """One act: its times (seconds since 1970), the status of its answer (0: none came), what it was about."""

    act: str
    account: str
    begun: float
    answered: float
    status: int
    told: dict[str, Any]

    @property
    def done(self) -> bool:
        """Whether somebody was told that it was done."""
        return 200 <= self.status < 400


@dataclass(frozen=True)
class Answer:
    """What came back; `status` 0 when nothing did."""

    status: int
    body: bytes
    headers: Mapping[str, str]
    begun: float
    answered: float

    @property
    def cookie(self) -> str:
        """The cookie that it sets, as it is sent back."""
        return self.headers.get("set-cookie", "").partition(";")[0]

    @property
    def json(self) -> Any:
        """The body as JSON, {} when it is none."""
        try:
            return msgspec.json.decode(self.body)
        except msgspec.DecodeError:
            return {}


class Diary:
    """Entries in memory and on disk, a line each, written by many threads."""

    def __init__(self, path: Path) -> None:
        self.entries: list[Entry] = []
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        self._lock = threading.Lock()

    def note(self, act: str, account: str, answer: Answer, **told: Any) -> None:
        """Write down what came of an act."""
        entry = Entry(act, account, answer.begun, answer.answered, answer.status, told)
        with self._lock:
            self.entries.append(entry)
            os.write(self._file, msgspec.json.encode(entry) + b"\n")

    def of(self, *acts: str) -> list[Entry]:
        """The entries of these acts, in the order in which their answers came."""
        with self._lock:
            return [entry for entry in self.entries if entry.act in acts]


@dataclass
class Caller:
    """One web process at `port`. What gets no answer, or 503, is asked again under the same key."""

    port: int
    wrong: list[str] = field(default_factory=list[str])
    """Answers that nobody should ever get, such as 500."""
    over: threading.Event = field(default_factory=threading.Event)

    def hang_up(self) -> None:
        """Whoever asks, asks no more: HungUp is raised at their next question."""
        self.over.set()

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        key: str = "",
        once: str = "",
        patience: float = PATIENCE,
    ) -> Answer:
        """A program's call, as JSON; `key` of the API, `once` the Idempotency-Key."""
        headers = {"Host": f"localhost:{self.port}", "Content-Type": "application/json"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        if once:
            headers["Idempotency-Key"] = once
        octets = body if isinstance(body, bytes) else msgspec.json.encode(body) if body is not None else b""
        if isinstance(body, bytes):
            headers["Content-Type"] = "text/csv"
        return self._patiently(method, path, octets, headers, patience)

    def form(self, host: str, path: str, fields: Mapping[str, str], cookie: str = "") -> Answer:
        """A form sent from the page that it stands on, with the cookie that an answer set."""
        where = f"{host}:{self.port}"
        headers = {"Host": where, "Origin": f"http://{where}"}
        headers["Content-Type"] = "application/x-www-form-urlencoded"
        if cookie:
            headers["Cookie"] = cookie
        return self._patiently("POST", path, urlencode(fields).encode(), headers, PATIENCE)

    def _patiently(
        self, method: str, path: str, body: bytes, headers: dict[str, str], patience: float
    ) -> Answer:
        begun, until = time.time(), time.monotonic() + patience
        while True:
            if self.over.is_set():
                raise HungUp
            answer = self._once(method, path, body, headers, begun)
            again = answer.status in (SILENCE, 429, 503) or (
                answer.status == 409 and "retry-after" in answer.headers
            )
            if answer.status >= 500 and answer.status != 503:
                self.wrong.append(f"{method} {path} answered {answer.status}: {answer.body[:300]!r}")
            if not again or time.monotonic() > until:
                return answer
            time.sleep(PAUSE)

    def _once(self, method: str, path: str, body: bytes, headers: dict[str, str], begun: float) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TRY)
        try:
            connection.request(method, path, body=body, headers=headers)
            came = connection.getresponse()
            told = {name.lower(): value for name, value in came.getheaders()}
            return Answer(came.status, came.read(), told, begun, time.time())
        except (OSError, http.client.HTTPException):
            return Answer(SILENCE, b"", {}, begun, time.time())
        finally:
            connection.close()
