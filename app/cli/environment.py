"""What a command reads before there are settings, and what it hands down to its children.

Settings (app/base/settings.py) need a database to exist; `up` and `services` make it.
"""

import os
from pathlib import Path

import click

from app.cli.folder import ROOT

#: For commands whose work nobody must hear of at once: the sweep finds it.
UNHEARD = "redis://127.0.0.1:6379/0"
data_option = click.option(
    "--data", type=click.Path(path_type=Path, file_okay=False), help="The data folder."
)


def given(name: str) -> str | None:
    """The variable's value, None when unset or empty."""
    return os.environ.get(name, "").strip() or None


def data_path(option: Path | None) -> Path:
    """`--data`, else GODWIT_DATA, else `.data` beside the code."""
    return (option or Path(given("GODWIT_DATA") or ROOT / ".data")).absolute()


def hand_down(values: dict[str, str]) -> None:
    """Set variables for the settings of this process and of every child."""
    os.environ.update(values)


def inherited(**changes: str) -> dict[str, str]:
    """Our environment with changes."""
    return {**os.environ, **changes}
