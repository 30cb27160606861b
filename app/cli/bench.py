"""`godwit bench NAME`: figures of this machine beside their targets, in a house of their own."""

import asyncio
import os
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from app.answers import plural
from app.base.errors import Invalid
from app.base.settings import settings
from app.cli import children, migrate
from app.cli.asking import json_option, print_json
from app.cli.serve import DRAIN
from app.cli.services import Services
from app.proof import EGRESS, SHARES, SITE, STUDIO, Figure, Part, Rate, Scale, machine

BENCHES = {"egress": EGRESS, "shares": SHARES, "site": SITE, "studio": STUDIO}
_USUAL = Scale()


@click.command()
@click.argument("name", required=False)
@click.option("--readers", type=click.IntRange(40), default=_USUAL.large, hidden=True)
@click.option("--jobs", type=click.IntRange(1), default=_USUAL.jobs, hidden=True)
@click.option("--posts", type=click.IntRange(100), default=_USUAL.posts, hidden=True)
@click.option("--times", type=click.IntRange(1), hidden=True)
@json_option
def bench(name: str | None, readers: int, jobs: int, posts: int, times: int | None, as_json: bool) -> None:
    """Measure this machine; without a NAME: which benches there are. Minutes; a bad figure is told too."""
    if name not in BENCHES:
        known = ", ".join(BENCHES)
        wrong = f"There is no bench {name!r}" if name else "Name a bench"
        raise Invalid(f"{wrong}; there are: {known}.")
    scale = Scale(
        readers,
        readers // 40,
        jobs,
        times or _USUAL.mailings,
        times or _USUAL.codes,
        posts,
        times or _USUAL.times,
    )
    figures = [figure for part in BENCHES[name] for figure in _measured(part, scale)]
    if as_json:
        print_json({"bench": name, "machine": machine(), "figures": [_figure_json(one) for one in figures]})
    else:
        click.echo("\n".join([_place(name), "", *table(figures), "", *meanwhile(figures)]))


def _measured(part: Part, scale: Scale) -> Sequence[Figure | Rate]:
    with (
        tempfile.TemporaryDirectory(prefix="godwit-bench-") as folder,
        Services(Path(folder)) as servers,
        _as_shipped(
            {
                **part.settings,
                "DATABASE_URL": servers.database_url,
                "REDIS_URL": servers.redis_url,
                "GODWIT_DATA": folder,
                "GODWIT_MODE": "testing",
            }
        ),
    ):
        migrate.run(settings())
        with _workers(part.workers, Path(folder) / "workers.log"):
            told = asyncio.run(part.measure(scale))
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
def _workers(queues: tuple[str | None, ...], log: Path) -> Iterator[None]:
    """`godwit worker` for each, which starts again what a bad job kills; its words go to `log`."""
    command = [sys.executable, "-m", "app.cli", "worker"]
    with log.open("ab") as words:
        started = [
            children.spawn(
                [*command, *(("--queues", one) if one else ())], at_our_death=signal.SIGTERM, output=words
            )
            for one in queues
        ]
    try:
        yield
    finally:
        for one in started:
            children.stop(one, signal.SIGTERM, DRAIN + 5)


def table(figures: Sequence[Figure | Rate]) -> list[str]:
    """A line for each, under a head."""
    width = max(len(one.what) for one in figures)
    return [
        f"{'':{width}}  {'median':>8}  {'worst':>8}  times  {'target':>8}",
        *(f"{one.what:{width}}  {_cells(one)}" for one in figures),
    ]


def _cells(one: Figure | Rate) -> str:
    if isinstance(one, Figure):
        times, target = len(one.seconds), f"< {one.target:4g} s"
        numbers = f"{one.median:6.2f} s  {one.worst:6.2f} s"
    else:
        times, target = len(one.per_second), f"> {one.target:,.0f}/s" if one.target else ""
        numbers = f"{one.median:6,.0f}/s  {one.worst:6,.0f}/s"
    met = "" if one.target is None else "met" if one.met else "NOT MET"
    return f"{numbers}  {times:5}  {target:>8}  {met}".rstrip()


def meanwhile(figures: Sequence[Figure | Rate]) -> list[str]:
    """What went on beside each."""
    return [f"{one.what}:\n    {one.meanwhile}." for one in figures]


def _place(name: str) -> str:
    told = machine()
    return f"{name} on {told['cpu']}, {plural(int(told['cores']), 'core')}, Python {told['python']}"


def _figure_json(one: Figure | Rate) -> dict[str, Any]:
    about = {"what": one.what, "met": one.met, "meanwhile": one.meanwhile}
    if isinstance(one, Rate):
        return {
            **about,
            "median_per_second": round(one.median, 1),
            "worst_per_second": round(one.worst, 1),
            "per_second": [round(rate, 1) for rate in one.per_second],
            "target_per_second": one.target,
        }
    return {
        **about,
        "median_seconds": round(one.median, 4),
        "worst_seconds": round(one.worst, 4),
        "seconds": [round(seconds, 4) for seconds in one.seconds],
        "target_seconds": one.target,
    }
