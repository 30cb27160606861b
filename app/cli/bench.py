"""`godwit bench NAME`: figures of this machine beside their targets, in a house of their own."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from app.answers import plural
from app.base.driver import in_words
from app.base.errors import Invalid, Unavailable
from app.base.settings import settings
from app.cli import children, migrate
from app.cli.amounts import Amount
from app.cli.asking import json_option, print_json
from app.cli.environment import data_path
from app.cli.figures import figure_json, kept_run, meanwhile, table
from app.cli.serve import DRAIN
from app.cli.services import Services
from app.cli.signals import Stoppable, Stopped
from app.proof import (
    EGRESS,
    ISOLATION,
    JOBS,
    PUBLISH_BENCH,
    SHARES,
    SITE,
    STUDIO,
    TESTING,
    WEBHOOKS,
    Figure,
    Memory,
    Part,
    Rate,
    Scale,
    machine,
)

BENCHES = {
    "egress": EGRESS,
    "isolation": ISOLATION,
    "jobs": JOBS,
    "publish": PUBLISH_BENCH,
    "shares": SHARES,
    "site": SITE,
    "studio": STUDIO,
    "testing": TESTING,
    "webhooks": WEBHOOKS,
}
_USUAL = Scale()
#: An option that stands for several amounts of a scale; each other one has its own name.
_SEVERAL = {"readers": ("large", "small"), "times": ("mailings", "codes", "times")}
#: Seconds that workers get to end in peace when we were asked to stop.
_HURRY = 3.0


def _knowing(option: str) -> list[str]:
    """The benches that go by an option."""
    amounts = set(_SEVERAL.get(option, (option,)))
    return [name for name, parts in BENCHES.items() if any(amounts & set(part.heeds) for part in parts)]


@click.command()
@click.argument("name", required=False)
@click.option("--readers", type=click.IntRange(40), default=_USUAL.large, hidden=True)
@click.option("--jobs", type=click.IntRange(1), default=_USUAL.jobs, hidden=True)
@click.option("--posts", type=click.IntRange(100), default=_USUAL.posts, hidden=True)
@click.option("--seconds", type=Amount(0.2), default=_USUAL.seconds, hidden=True)
@click.option("--deliveries", type=click.IntRange(8), default=_USUAL.deliveries, hidden=True)
@click.option("--times", type=click.IntRange(1), hidden=True)
@click.option(
    "--accounts",
    type=click.IntRange(1, 10_000),
    default=_USUAL.accounts,
    help=f"{', '.join(_knowing('accounts'))}: how many write.",
)
@click.option(
    "--requests", type=click.IntRange(0), default=0, help="publish: this many at full speed, and no more."
)
@click.option(
    "--minutes",
    type=Amount(0.01),
    default=_USUAL.minutes,
    help="jobs: how long a transaction is held open.",
)
@json_option
@click.pass_context
def bench(
    asked: click.Context,
    name: str | None,
    readers: int,
    jobs: int,
    posts: int,
    times: int | None,
    as_json: bool,
    **more: Any,
) -> None:
    """Measure this machine; without a NAME: which benches there are. Minutes; a bad figure is told too.

    Each part is named on stderr as it begins. Each run is kept as a line of benches.jsonl in the data folder;
    one that failed, or was stopped, with its reason and what was measured before.
    """
    if name not in BENCHES:
        known = ", ".join(BENCHES)
        wrong = f"There is no bench {name!r}" if name else "Name a bench"
        raise Invalid(f"{wrong}; there are: {known}.")
    _refuse_options_of_others(asked, name)
    scale = Scale(
        readers,
        readers // 40,
        jobs,
        times or _USUAL.mailings,
        times or _USUAL.codes,
        posts,
        times or _USUAL.times,
        **more,
    )
    with Stoppable() as stop:
        _run(name, scale, stop, as_json=as_json)


def _refuse_options_of_others(asked: click.Context, name: str) -> None:
    """Raises Invalid when an option was given that `name` does not go by."""
    for option in (one.name for one in asked.command.params if isinstance(one, click.Option) and one.name):
        given = asked.get_parameter_source(option) is ParameterSource.COMMANDLINE
        if given and (knowing := _knowing(option)) and name not in knowing:
            *most, last = knowing
            named = f"{', '.join(most)} and {last} know it" if most else f"{last} knows it"
            raise Invalid(f"The bench {name} knows no --{option}; {named}.")


def _run(name: str, scale: Scale, stop: Stoppable, *, as_json: bool) -> None:
    """Part by part. What was measured is told and kept, also where something went wrong after it."""
    figures: list[Figure | Rate | Memory] = []
    run: dict[str, Any] = {}
    parts = BENCHES[name]
    try:
        with kept_run(data_path(None), name, scale) as run:
            run["figures"] = []
            for number, part in enumerate(parts, 1):
                which = f"Part {number} of {len(parts)}"
                click.echo(f"{which}: {part.what} …", err=True)
                figures += _measured_or_told(part, scale, which, stop)
                run["figures"] = [figure_json(one) for one in figures]
    finally:
        if figures or (as_json and run):
            _tell(name, figures, run, as_json=as_json)


def _tell(
    name: str, figures: Sequence[Figure | Rate | Memory], run: dict[str, Any], *, as_json: bool
) -> None:
    if as_json:
        failed = {"failed": run["failed"]} if "failed" in run else {}
        print_json({"bench": name, "machine": machine(), "figures": run["figures"], **failed})
    else:
        click.echo("\n".join([_place(name), "", *table(figures), "", *meanwhile(figures)]))


def _measured_or_told(
    part: Part, scale: Scale, which: str, stop: Stoppable
) -> Sequence[Figure | Rate | Memory]:
    """Raises Unavailable, naming the part, when it could not be measured; and Stopped."""
    try:
        return _measured(part, scale, stop)
    except Stopped as stopped:
        raise Stopped(stopped.signum, f" in {which[0].lower()}{which[1:]}") from None
    except Exception as error:
        raise Unavailable(f"{which} could not be measured. {in_words(error)}") from error


def _measured(part: Part, scale: Scale, stop: Stoppable) -> Sequence[Figure | Rate | Memory]:
    with (
        tempfile.TemporaryDirectory(prefix="godwit-bench-") as folder,
        Services(Path(folder)) as servers,
        _as_shipped(
            {
                "GODWIT_MODE": "testing",
                **part.settings,
                "DATABASE_URL": servers.database_url,
                "REDIS_URL": servers.redis_url,
                "GODWIT_DATA": folder,
            }
        ),
    ):
        migrate.run(settings())
        with _workers(part.workers, Path(folder) / "workers.log", stop):
            told = stop.run(lambda: part.measure(scale))
            return [told] if isinstance(told, Figure) else told


@contextmanager
def _as_shipped(told: dict[str, str]) -> Iterator[None]:
    """Settings as they come with Godwit, but for these; what the caller's environment says waits outside."""
    before = dict(os.environ)
    for name in [name for name in before if name.startswith("GODWIT_")]:
        del os.environ[name]
    os.environ.update(told)
    settings.cache_clear()
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
        settings.cache_clear()


@contextmanager
def _workers(queues: tuple[str | None, ...], log: Path, stop: Stoppable) -> Iterator[None]:
    """`godwit worker` for each, which starts again what a bad job kills; its words go to `log`."""
    command = [sys.executable, "-m", "app.cli", "worker"]
    started: list[subprocess.Popen[bytes]] = []
    try:
        # Whoever is begun is known here before we may be stopped: nobody else would end it.
        with stop.later(), log.open("ab") as words:
            for one in queues:
                told = [*command, *(("--queues", one) if one else ())]
                started.append(children.spawn(told, at_our_death=signal.SIGTERM, output=words))
        yield
    finally:
        for one in started:
            if stop.asked:
                _hurry(one)
            children.stop(one, signal.SIGTERM, DRAIN + 5)


def _hurry(worker: "subprocess.Popen[bytes]") -> None:
    """Asked once it ends in peace; asked again, which comes after this, at once."""
    worker.terminate()
    with suppress(subprocess.TimeoutExpired):
        worker.wait(_HURRY)


def _place(name: str) -> str:
    told = machine()
    return f"{name} on {told['cpu']}, {plural(int(told['cores']), 'core')}, Python {told['python']}"
