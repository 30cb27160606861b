"""Receivers of webhooks as testing mode makes them, and workers that stand still for a while."""

import json
import os
import signal
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from e2e.running import Godwit


@dataclass(frozen=True)
class Came:
    """One request as it came."""

    event_id: str
    type: str
    data: dict[str, Any]
    verified: bool
    answered: int | None


@dataclass(frozen=True)
class Receiver:
    """A server that a webhook may have as its address."""

    godwit: Godwit
    id: str
    url: str

    def came(self) -> list[Came]:
        """What came, oldest first."""
        found = self.godwit.call("GET", f"/testing/receivers/{self.id}/requests")["items"]
        return [_came(one) for one in found[::-1]]

    @contextmanager
    def down(self) -> Iterator[None]:
        """Within it nobody is there."""
        order = {"target": "endpoint", "kind": "down", "match": {"endpoint": self.id}}
        fault = self.godwit.call("POST", "/testing/faults", order)["id"]
        yield
        self.godwit.call("DELETE", f"/testing/faults/{fault}")


def a_receiver(godwit: Godwit, slug: str, *answers: int) -> Receiver:
    """A new one for this account, which answers in this order (200 unless told)."""
    made = godwit.call("POST", f"/testing/receivers?account={slug}", {"answers": list(answers) or None})
    return Receiver(godwit, made["id"], made["url"])


@contextmanager
def frozen_workers(godwit: Godwit) -> Iterator[None]:
    """Within it nobody works for webhooks; then they go on."""
    pids = [pid for pid in _below(godwit.pid) if _delivers(pid)]
    assert pids, "nobody works for webhooks"
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


def _below(pid: int) -> Iterator[int]:
    """The children of a process, theirs, and so on."""
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            yield int(child)
            yield from _below(int(child))


def _delivers(pid: int) -> bool:
    words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    return b"workers" in words and any(b"webhooks" in word.split(b",") for word in words)


def _came(told: dict[str, Any]) -> Came:
    headers = {one["name"]: one["value"] for one in told["headers"]}
    body = json.loads(b64decode(told["body_base64"]))
    return Came(headers["webhook-id"], body["type"], body["data"], told["verified"], told["answered"])
