"""`godwit chaos`: a Godwit of its own is used and harmed by a seed, and every promise is looked at."""

import json
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import click

from app.base.driver import in_words
from app.cli import children
from app.cli.amounts import Amount
from app.cli.asking import json_option, print_json
from app.cli.environment import data_option, data_path, inherited
from app.cli.folder import usable
from app.cli.serve import PROCESSES
from app.cli.services import Services
from app.cli.signals import Stoppable, Stopped
from app.proof.chaos import (
    House,
    Report,
    plant_call,
    plant_mail,
    report_json,
    report_words,
    run,
    schedule,
    steps_json,
)

#: Mail that people wait for, and twice the rest, so that one stands when the other falls.
_WORKERS = (PROCESSES[0], PROCESSES[1], PROCESSES[1])


#: Lies in a log, by which the checks show that they can fail.
_PLANTS = {"mail": plant_mail, "call": plant_call}


class _Servers(Services):
    """The embedded servers, to be crashed."""

    def crash_postgres(self) -> None:
        """As `pg_ctl stop -m immediate`: all end at once, the log is replayed at the next start."""
        if self.postgres:
            self.postgres.crash()

    def kill_valkey(self) -> None:
        """SIGKILL: what it held is gone."""
        if self.redis:
            self.redis.kill()


@click.command()
@click.option("--minutes", type=Amount(0.1, 600), default=2.0, show_default=True)
@click.option(
    "--seed", type=click.IntRange(0, 10**9), default=1, show_default=True, help="The same: the same schedule."
)
@click.option("--provider", type=click.Choice(["mailbox", "smtp"]), default="mailbox", help="Who takes mail.")
@data_option
@click.option(
    "--plant", type=click.Choice(["mail", "call"]), hidden=True, help="A lie in a log, to be found."
)
@json_option
def chaos(
    minutes: float,
    seed: int,
    provider: Literal["mailbox", "smtp"],
    data: Path | None,
    plant: str | None,
    as_json: bool,
) -> int:
    """Use and harm a Godwit of its own by a seed; 1 when a promise did not hold.

    Stopped by Ctrl-C or SIGTERM it tells what was done until then: 130 or 143 when nothing was found.
    """
    at = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
    folder = usable(data_path(data)) / "chaos" / f"{at}-{seed}"
    folder.mkdir(parents=True)
    _keep(folder / "schedule.json", steps_json(schedule(seed, minutes * 60)))
    say = (lambda words: None) if as_json else click.echo
    report, status = Report(seed, minutes), 0
    try:
        with Stoppable(), _Servers(folder) as servers:
            house = House(folder, servers, _spawn, _environment(), _WORKERS, provider)
            try:
                house.start()
                run(house, report, say, _PLANTS.get(plant or ""))
            finally:
                house.stop()
    except Stopped as stopped:
        report.ended_early, status = str(stopped), stopped.status
        click.echo(report.ended_early, err=True)
    except Exception as error:
        report.ended_early = in_words(error)
        raise
    finally:
        _tell(report, folder, as_json=as_json)
    return 1 if report.found else status


def _tell(report: Report, folder: Path, *, as_json: bool) -> None:
    """Print it and keep it; also where the run came to no end."""
    _keep(folder / "report.json", report_json(report))
    words = report_words(report, folder)
    (folder / "report.txt").write_text("\n".join(words) + "\n")
    if as_json:
        print_json(report_json(report) | {"kept": str(folder)})
    else:
        click.echo("\n".join(["", *words]))


def _environment() -> dict[str, str]:
    """Ours without a setting of Godwit: the house has its own."""
    return {name: value for name, value in inherited().items() if not name.startswith("GODWIT_")}


def _spawn(command: Sequence[str], env: Mapping[str, str], log: Path) -> "subprocess.Popen[bytes]":
    """A child that goes when we go; its words are kept."""
    with log.open("ab") as words:
        return children.spawn(command, at_our_death=signal.SIGKILL, env=env, output=words)


def _keep(place: Path, value: object) -> None:
    place.write_text(json.dumps(value, indent=1, default=asdict) + "\n")
