"""What a command reads before there are settings, and what it hands down to its children.

Settings (app/base/settings.py) need a database to exist; `up` and `services` make it.
"""

import os
from pathlib import Path
from typing import Any

import click

from app.cli.folder import ROOT

#: For commands whose work nobody must hear of at once: the sweep finds it.
UNHEARD = "redis://127.0.0.1:6379/0"


class _DataFolder(click.Path):
    """A folder that has a name: '' would be whichever folder somebody stands in."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path; fails with what to do."""
        if not str(value).strip():
            self.fail("'' names no folder; name one, or leave --data away for .data.", param, ctx)
        return super().convert(value, param, ctx)


data_option = click.option(
    "--data", type=_DataFolder(path_type=Path, file_okay=False), help="The data folder."
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
