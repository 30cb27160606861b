"""Figures as people and programs read them, and every run of a bench on record."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec

from app.base.errors import GodwitError
from app.cli.folder import usable
from app.cli.signals import Stopped
from app.proof import Figure, Memory, Rate, Scale, machine

RUNS = "benches.jsonl"
"""In the data folder: a run a line, those that failed among them."""
_IN_MILLISECONDS = 0.5


@contextmanager
def kept_run(folder: Path, name: str, scale: Scale) -> Iterator[dict[str, Any]]:
    """Keep a run, with what is put in the dict; one that failed is kept with the reason, and raised.

    Raises Invalid when nothing can be kept in the folder.
    """
    usable(folder)
    at = datetime.now(UTC).isoformat(timespec="seconds")
    run: dict[str, Any] = {"bench": name, "at": at, "version": version("godwit"), "machine": machine()}
    run["scale"] = asdict(scale)
    try:
        yield run
    except GodwitError as error:
        run["failed"] = error.detail
        raise
    except Stopped as stopped:
        run["failed"] = str(stopped)
        raise
    except BaseException as error:
        run["failed"] = f"{type(error).__name__}: {error}".rstrip(": ")
        raise
    finally:
        line = msgspec.json.encode(run) + b"\n"
        place = os.open(folder / RUNS, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            os.write(place, line)  # in one piece: two benches may end at once
        finally:
            os.close(place)


def table(figures: Sequence[Figure | Rate | Memory]) -> list[str]:
    """A line for each, under a head."""
    width = max(len(one.what) for one in figures)
    return [
        f"{'':{width}}  {'median':>8}  {'worst':>8}  times  {'target':>8}",
        *(f"{one.what:{width}}  {_cells(one)}" for one in figures),
    ]


def _cells(one: Figure | Rate | Memory) -> str:
    if isinstance(one, Rate):
        times, target = len(one.per_second), f"> {one.target:,.0f}/s" if one.target else ""
        numbers = f"{one.median:6,.0f}/s  {one.worst:6,.0f}/s"
    elif isinstance(one, Memory):
        times, target = len(one.megabytes), f"< {one.target:g} MB" if one.target else ""
        numbers = f"{one.median:5,.0f} MB  {one.worst:5,.0f} MB"
    else:
        fine = (one.target or one.median) < _IN_MILLISECONDS
        times, target = len(one.seconds), f"< {_target(one.target, fine=fine)}" if one.target else ""
        numbers = f"{_time(one.median, fine=fine)}  {_time(one.worst, fine=fine)}"
    met = "" if one.target is None else "met" if one.met else "NOT MET"
    failed = f"  {one.failed:,} failed" if one.failed else ""
    return f"{numbers}  {times:5}  {target:>8}  {met}{failed}".rstrip()


def _time(seconds: float, *, fine: bool) -> str:
    return f"{seconds * 1000:5.1f} ms" if fine else f"{seconds:6.2f} s"


def _target(seconds: float, *, fine: bool) -> str:
    return f"{seconds * 1000:g} ms" if fine else f"{seconds:4g} s"


def meanwhile(figures: Sequence[Figure | Rate | Memory]) -> list[str]:
    """What went on beside each."""
    return [f"{one.what}:\n    {one.meanwhile}." for one in figures]


def figure_json(one: Figure | Rate | Memory) -> dict[str, Any]:
    """A figure for programs."""
    about = {"what": one.what, "met": one.met, "failed": one.failed, "meanwhile": one.meanwhile}
    if isinstance(one, Rate):
        return {
            **about,
            "median_per_second": round(one.median, 1),
            "worst_per_second": round(one.worst, 1),
            "per_second": [round(rate, 1) for rate in one.per_second],
            "target_per_second": one.target,
        }
    if isinstance(one, Memory):
        return {
            **about,
            "median_megabytes": round(one.median, 1),
            "worst_megabytes": round(one.worst, 1),
            "megabytes": [round(megabytes, 1) for megabytes in one.megabytes],
            "target_megabytes": one.target,
        }
    return {
        **about,
        "median_seconds": round(one.median, 4),
        "worst_seconds": round(one.worst, 4),
        "seconds": [round(seconds, 4) for seconds in one.seconds],
        "target_seconds": one.target,
    }
