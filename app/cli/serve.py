"""`godwit web` and `godwit worker`: the two processes of a machine, for one machine or many."""

import signal
import sys
from socket import socket
from types import FrameType

import click
import uvicorn
from uvicorn.importer import import_from_string

from app.base import garbage
from app.base.errors import Invalid
from app.base.settings import settings
from app.cli import ports
from app.cli.environment import inherited
from app.cli.signals import Signals
from app.cli.streams import EndingStreams
from app.cli.upkeep import Kept, keep, stop_together
from app.jobs import QUEUES

GRACE = 5  # seconds an answer under way, or a stream, may take once we were asked to stop
DRAIN = 40.0  # seconds a worker may take to settle what it holds
#: Codes people wait for never share a process with bulk mail.
PROCESSES = ("codes_creators,codes_readers,messages", "webhooks,sends,build,imports,payments,housekeeping")


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=click.IntRange(1, 65535), default=8000, show_default=True)
def web(host: str, port: int) -> None:
    """Run the web process: studio, sites, API, inbound hooks."""
    settings()
    ports.wanted(host, port)
    click.echo(f"Godwit's web process listens on http://{host}:{port}", err=True)
    application = EndingStreams(import_from_string("app.web.asgi:app"))
    # uvicorn raises the signal again once it has shut down; a stop we were asked for is status 0.
    for signum in (signal.SIGTERM, signal.SIGINT):
        signal.signal(signum, _leave)
    _Server(
        uvicorn.Config(
            application,
            host=host,
            port=port,
            loop="uvloop",
            http="httptools",
            ws="none",
            lifespan="on",
            timeout_graceful_shutdown=GRACE,
            proxy_headers=False,
            server_header=False,
            access_log=False,
            log_level="warning",
        ),
        application,
    ).run()


class _Server(uvicorn.Server):
    """uvicorn, which also tells open streams."""

    def __init__(self, config: uvicorn.Config, streams: EndingStreams) -> None:
        super().__init__(config)
        self._streams = streams

    async def startup(self, sockets: list[socket] | None = None) -> None:
        """The application is made and has begun; nobody has asked anything yet."""
        await super().startup(sockets)
        garbage.spare_what_stays()

    async def shutdown(self, sockets: list[socket] | None = None) -> None:
        """Called once, when the process was asked to stop."""
        self._streams.end()
        await super().shutdown(sockets)


def _leave(signum: int, frame: FrameType | None) -> None:
    sys.exit(0)


@click.command()
@click.option(
    "--queues", metavar="A,B", help="Only these queues, in one process. Default: all, in two processes."
)
def worker(queues: str | None) -> None:
    """Run the workers: mail, webhooks, imports and the rest."""
    settings()
    if unknown := [name for name in (queues or "").split(",") if queues is not None and name not in QUEUES]:
        raise Invalid(f"There is no queue {unknown[0]!r}; there are {', '.join(QUEUES)}.")
    groups = PROCESSES if queues is None else (queues,)
    workers = [
        Kept(
            f"worker {group}",
            [sys.executable, "-m", "workers", "--queues", group],
            inherited(),
            patience=DRAIN,
        )
        for group in groups
    ]
    with Signals() as signals:
        try:
            keep(workers, signals)
        finally:
            stop_together(workers, signals)
