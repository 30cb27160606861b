"""`godwit check`: the visible list of steps that CI runs, each with its own fix."""

import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import click

from app.cli.folder import ROOT

_BIN = Path(sys.executable).parent


@dataclass(frozen=True)
class Step:
    """One thing that must hold, and what to do when it does not."""

    name: str
    command: tuple[str, ...]
    fix: str


STEPS = (
    Step("lint", (str(_BIN / "ruff"), "check", "--quiet", "."), ".venv/bin/ruff check --fix ."),
    Step("format", (str(_BIN / "ruff"), "format", "--check", "--quiet", "."), ".venv/bin/ruff format ."),
    Step(
        "imports",
        (str(_BIN / "lint-imports"), "--no-logo"),
        "turn the arrow named above round; the picture is [tool.importlinter] in pyproject.toml",
    ),
    Step(
        "types",
        (str(_BIN / "pyright"), "--warnings"),
        ".venv/bin/pyright, and give each line named a true type",
    ),
)
ARCHITECTURE = Step(
    "architecture",
    (sys.executable, "-m", "pytest", "tests/architecture"),
    "each test's docstring says what to do; ./godwit test tests/architecture",
)


def run_steps(steps: tuple[Step, ...]) -> list[Step]:
    """Run all, telling of each as it ends; answers those that failed."""
    failed: list[Step] = []
    for step in steps:
        began = time.monotonic()
        done = subprocess.run(
            step.command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
        seconds = time.monotonic() - began
        if done.returncode == 0:
            click.echo(f"ok      {step.name} ({seconds:.1f} s)")
            continue
        failed.append(step)
        click.echo(done.stdout.rstrip())
        click.echo(f"failed  {step.name} ({seconds:.1f} s). Fix: {step.fix}")
    return failed


@click.command()
def check() -> int:
    """The checks CI runs: lint, format, imports, types, architecture."""
    return 1 if run_steps((*STEPS, ARCHITECTURE)) else 0
