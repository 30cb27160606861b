"""`godwit up`: everything on one machine, from nothing to printed addresses, until Ctrl-C."""

import asyncio
import http.client
import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import click

from app import accounts
from app.base.database import Database
from app.base.errors import Unavailable
from app.base.settings import load, settings
from app.cli import migrate, ports
from app.cli.environment import data_option, data_path, given, hand_down, inherited
from app.cli.folder import write_private
from app.cli.serve import DRAIN, GRACE
from app.cli.services import Services
from app.cli.signals import Signals
from app.cli.upkeep import Kept, keep, stop_all

_READY_SECONDS = 60.0
_FALLS = 3  # a web process that cannot start will not start by trying on
_TO_COME = {"DATABASE_URL": "postgresql://localhost/x", "REDIS_URL": "redis://localhost"}


@dataclass(frozen=True)
class Wanted:
    """What was asked for on the command line."""

    host: str
    port: int
    data: Path
    testing: bool
    demo: bool
    ready_file: Path | None

    @property
    def local(self) -> str:
        """An address of this machine at which the web process answers."""
        return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)  # noqa: S104 - compared, not bound


@click.command()
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 picks a free one."
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@data_option
@click.option("--testing", is_flag=True, help="Testing mode: /testing answers, limits are off.")
@click.option("--demo", is_flag=True, help="Fill an account with posts and 200 readers.")
@click.option(
    "--ready-file", type=click.Path(path_type=Path, dir_okay=False), help="Write the addresses as JSON."
)
def up(port: int, host: str, data: Path | None, testing: bool, demo: bool, ready_file: Path | None) -> None:
    """Run everything here: servers, migrations, web and worker. Ctrl-C stops all of it."""
    wanted = Wanted(host, ports.wanted(host, port), data_path(data), testing, demo, ready_file)
    told = _told(wanted)
    to_come = {name: value for name, value in _TO_COME.items() if not given(name)}
    load(inherited(**told, **to_come))  # every problem with the settings, before anything starts
    servers = Services(wanted.data, database_url=given("DATABASE_URL"), redis_url=given("REDIS_URL"))
    with Signals() as signals, servers:
        hand_down(told | {"DATABASE_URL": servers.database_url, "REDIS_URL": servers.redis_url})
        servers.folder.keep("up", {name: told[name] for name in ("GODWIT_BASE_URL", "GODWIT_MODE")})
        migrate.run(settings())
        if not signals.stopping:
            _run(wanted, servers, signals)
    click.echo("Stopped; everything is kept.")


def _run(wanted: Wanted, servers: Services, signals: Signals) -> None:
    kept = _processes(wanted)
    waiting = _Announcement(wanted, servers, kept[0])

    def tick() -> None:
        for name in servers.revive():
            click.echo(f"{name} ended unasked and was started again.", err=True)
        waiting.look()

    try:
        keep(kept, signals, tick)
    finally:
        click.echo("Stopping …", err=True)
        stop_all(kept, signals)
        if wanted.ready_file:
            wanted.ready_file.unlink(missing_ok=True)


def _told(wanted: Wanted) -> dict[str, str]:
    """The settings this command decides; an address or mode of the environment stays."""
    mode = "testing" if wanted.testing else given("GODWIT_MODE") or "development"
    base_url = given("GODWIT_BASE_URL") or f"http://localhost:{wanted.port}"
    return {"GODWIT_DATA": str(wanted.data), "GODWIT_MODE": mode, "GODWIT_BASE_URL": base_url}


def _processes(wanted: Wanted) -> list[Kept]:
    """In the order in which they are stopped."""
    command = [sys.executable, "-m", "app.cli"]
    web = [*command, "web", "--host", wanted.host, "--port", str(wanted.port)]
    return [
        Kept("web", web, inherited(), patience=GRACE + 3),
        Kept("worker", [*command, "worker"], inherited(), patience=DRAIN + 5),
    ]


class _Announcement:
    """Prints the addresses, once, when the web process is ready."""

    def __init__(self, wanted: Wanted, servers: Services, web: Kept) -> None:
        self._wanted, self._servers, self._web = wanted, servers, web
        self._deadline: float | None = time.monotonic() + _READY_SECONDS

    def look(self) -> None:
        """Ask /readyz, and announce at the first yes. Raises Unavailable when it takes too long."""
        if self._deadline is None:
            return
        if _is_ready(self._wanted):
            self._deadline = None
            self._announce()
        elif time.monotonic() > self._deadline or self._web.falls >= _FALLS:
            raise Unavailable("The web process does not become ready; its own words are above.")

    def _announce(self) -> None:
        creator = _fill_demo() if self._wanted.demo else None
        addresses = asyncio.run(_addresses())
        click.echo(f"\n  Studio   {addresses['studio']}\n  Site     {addresses['site']}")
        click.echo(f"  Mailbox  {addresses['mailbox'] or 'none here: mail really leaves, by SMTP'}")
        if settings().mode == "testing":
            click.echo(f"  Testing  {addresses['studio']}/testing")
        if addresses["first_run"]:
            click.echo(f"\n  First time here: {addresses['first_run']}")
        else:
            who = f" as {creator}" if creator else ""
            click.echo(f"\n  Sign in at {addresses['studio']}/sign-in{who}; the code arrives by mail.")
        click.echo("\n  Ctrl-C stops everything.\n")
        if self._wanted.ready_file:
            urls = {"database_url": self._servers.database_url, "redis_url": self._servers.redis_url}
            write_private(self._wanted.ready_file.absolute(), json.dumps(addresses | urls, indent=2) + "\n")


def _is_ready(wanted: Wanted) -> bool:
    connection = http.client.HTTPConnection(wanted.local, wanted.port, timeout=2)
    try:
        connection.request("GET", "/readyz", headers={"Host": f"localhost:{wanted.port}"})
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


async def _addresses() -> dict[str, str]:
    """Where everything is, as the settings have it."""
    wanted = settings()
    database = Database.for_role("web", pooled=False)
    try:
        async with database.transaction() as tx:
            known = await accounts.list_accounts(tx)
    finally:
        await database.close()
    slug = known[0].slug if known else "{slug}"
    first_run = (
        "" if known else f"{wanted.base_url}/first-run?{urlencode({'token': accounts.first_run_token()})}"
    )
    return {
        "studio": wanted.base_url,
        "site": wanted.site_url(slug),
        "mailbox": f"{wanted.base_url}/mailbox" if wanted.mail.provider == "mailbox" else "",
        "api": f"{wanted.base_url}/api/v1",
        "first_run": first_run,
    }


def _fill_demo() -> str:
    """Fill the demo; answers its creator's address."""
    command = [sys.executable, "-m", "app.cli.demo"]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
