"""What befalls the servers themselves: frozen, crashed, their connections cut."""

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.cli.services import Services


def postmaster(services: Services) -> int:
    """The process id of this scenario's PostgreSQL."""
    pid_file = services.folder.path / "postgres" / "postmaster.pid"
    return int(pid_file.read_text().split("\n", 1)[0])


@contextmanager
def frozen(services: Services) -> Iterator[None]:
    """PostgreSQL says nothing more, nor does any of its sessions; it goes on afterwards as if nothing was."""
    parent = postmaster(services)
    os.kill(parent, signal.SIGSTOP)  # first: no new session slips through
    sessions = [int(pid) for pid in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]
    for pid in sessions:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in [*sessions, parent]:
            os.kill(pid, signal.SIGCONT)


async def crash(services: Services) -> None:
    """As `pg_ctl -m immediate`, or a power cut: nothing is written any more."""
    assert services.postgres is not None
    await asyncio.to_thread(services.postgres.crash)


async def start_again(services: Services) -> None:
    """PostgreSQL reads its log and serves again, at its old address."""
    assert services.postgres is not None
    before = services.database_url
    await asyncio.to_thread(services.postgres.start)
    assert services.database_url == before, "somebody else took its port meanwhile"
