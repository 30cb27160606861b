"""`godwit test`: everything that proves it, in one command, here and in CI."""

import subprocess
import sys
from collections.abc import Sequence

import click

from app.base.errors import Invalid
from app.cli.check import STEPS, run_steps
from app.cli.chromium import chromium_path
from app.cli.environment import given, inherited
from app.cli.folder import ROOT

_PROCESSES = "2"
#: Short options of pytest that take what follows.
_TAKING = ("-k", "-m", "-c", "-p", "-n", "-o", "-r", "-W")
#: A plugin that comes with a library of a library, and takes each process of a run a third of a second.
_WITHOUT = ("-p", "no:faker")


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument("pytest_args", nargs=-1, type=click.UNPROCESSED)
def test(pytest_args: tuple[str, ...]) -> int:
    """Checks, tests and browser journeys; with arguments, pytest with these alone."""
    if pytest_args:
        _refuse_places_that_are_not_there(pytest_args)
        # First, so that whoever says `-n` themselves has the last word.
        return _pytest(
            ["-n", _PROCESSES, *pytest_args], browser=any("e2e" in argument for argument in pytest_args)
        )
    failed = run_steps(STEPS)
    status = _pytest(["-n", _PROCESSES], browser=(ROOT / "e2e").is_dir())
    return status or (1 if failed else 0)


def _refuse_places_that_are_not_there(arguments: Sequence[str]) -> None:
    """Before servers start. Raises Invalid. What may be the value of an option is pytest's to judge."""
    if "--pyargs" in arguments:
        return
    for before, one in zip(("", *arguments), arguments, strict=False):
        may_be_value = before in _TAKING or (before.startswith("--") and "=" not in before)
        place = one.partition("::")[0]
        if not (one.startswith("-") or may_be_value or (ROOT / place).exists()):
            raise Invalid(f"There is no {place!r} to test in {ROOT}; tests are below tests and e2e.")


def _pytest(arguments: list[str], *, browser: bool) -> int:
    env = _kept_compiled()
    if browser:
        found = chromium_path(fetch=True)
        if found:
            env["CHROMIUM"] = str(found)
        elif given("CI"):
            click.echo(
                "No browser could be found or installed: the journeys in e2e/ cannot run. Set CHROMIUM.",
                err=True,
            )
            return 1
        else:
            click.echo(
                "SKIPPED: the journeys in e2e/, for want of a browser. Install chromium, or set CHROMIUM.",
                err=True,
            )
            arguments += ["--ignore", "e2e"]
    return subprocess.run(
        [sys.executable, "-m", "pytest", *_WITHOUT, *arguments], cwd=ROOT, env=env, check=False
    ).returncode


def _kept_compiled() -> dict[str, str]:
    """Our environment. Who wants no compiled files beside the sources gets them in .venv.

    With none at all each process of the run would compile all it imports: seconds, each time.
    """
    env = inherited()
    if env.pop("PYTHONDONTWRITEBYTECODE", ""):
        env.setdefault("PYTHONPYCACHEPREFIX", str(ROOT / ".venv" / "compiled"))
    return env
