"""A mail server in a process of its own: it writes down each mail before it says that it took it.

`python -m app.proof.chaos.post_office PORT CONTROL LOG`. What is to go wrong is told it at CONTROL by
POST /order, a list in words (`app.fakes.fault_of`) that takes the place of the one before.
"""

import asyncio
import base64
import os
import re
import signal
import sys
import time
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any

import msgspec

from app.fakes import Call, FakeReceiver, FakeSmtp, KeptMail, Reply, fault_of

_LINK = re.compile(r"https?://[^\s<>\"]+")
_CODE = re.compile(r"\b(\d{6}) is your code")


class Taken(msgspec.Struct, frozen=True):
    """One mail that would reach its reader, at `at` (seconds since 1970)."""

    at: float
    to: str
    raw: str

    @property
    def octets(self) -> bytes:
        """The mail as it came."""
        return base64.b64decode(self.raw)


def taken(log: Path) -> list[Taken]:
    """Every mail that was written down, in the order in which they came."""
    lines = log.read_bytes().splitlines() if log.exists() else []
    return [msgspec.json.decode(line, type=Taken) for line in lines]


def opened(mail: Taken) -> dict[str, Any]:
    """What is in a mail: as /testing/mailbox tells it, and its `delivery`."""
    read: Any = message_from_bytes(mail.octets, policy=policy.default)
    text = read.get_body(("plain",)).get_content()
    links, subject = _LINK.findall(text), str(read["subject"])
    code = _CODE.search(subject)
    confirms = any("/confirm/" in link for link in links)
    other = "broadcast" if read["list-unsubscribe"] else "message"
    return {
        "kind": "code" if code else "confirm" if confirms else other,
        "subject": subject,
        "links": links,
        "code": code[1] if code else None,
        "delivery": str(read["message-id"]).strip("<> ").partition("@")[0],
    }


async def _serve(port: int, control: int, log: Path) -> None:
    place = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)

    def keep(mail: KeptMail) -> None:
        line = Taken(time.time(), mail.recipient, base64.b64encode(mail.raw).decode())
        os.write(place, msgspec.json.encode(line) + b"\n")

    async def ordered(call: Call) -> Reply:
        office.faults = [fault_of(words) for words in msgspec.json.decode(call.body, type=list[str])]
        return Reply(204)

    office = FakeSmtp(port=port, seen=keep)
    desk = FakeReceiver(ordered, port=control)
    await office.start()
    await desk.start()
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    await stopped.wait()
    await office.stop()
    await desk.stop()


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])))
