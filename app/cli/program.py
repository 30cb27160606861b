"""The console script: the table of commands, and what ends with which status (C1)."""

import importlib
import os
import sys
from urllib.parse import urlsplit

import click

from app.base.errors import GodwitError, Unavailable
from app.base.settings import SettingsError
from app.cli.signals import Stopped

_CTRL_C = 130

#: name: (module, attribute, one line). Loaded when asked for, so that no command pays for another.
COMMANDS = {
    "up": ("app.cli.up", "up", "Run everything here: servers, migrations, web and worker."),
    "test": ("app.cli.proving", "test", "Everything that proves it: checks, tests, browser journeys."),
    "check": ("app.cli.check", "check", "The checks CI runs, each with its own fix."),
    "services": ("app.cli.services", "services", "Run the embedded PostgreSQL and Valkey alone."),
    "migrate": ("app.cli.migrate", "migrate", "Bring the database to this version."),
    "web": ("app.cli.serve", "web", "Run the web process."),
    "worker": ("app.cli.serve", "worker", "Run the workers."),
    "jobs": ("app.cli.jobs", "jobs", "List jobs; try those again that gave up, or discard them."),
    "doctor": ("app.cli.doctor", "doctor", "Look at all Godwit stands on; each finding with its fix."),
    "fakes": ("app.cli.fakes", "fakes", "Run a local SMTP server that keeps mail and fails as told."),
    "webhook": ("app.cli.webhook", "webhook", "Receive webhooks on this machine, verified and printed."),
    "bench": ("app.cli.bench", "bench", "Measure this machine beside what is promised."),
    "chaos": ("app.cli.chaos", "chaos", "Kill, cut and flush a Godwit of its own; every promise is checked."),
    "import": ("app.cli.bringing", "import_", "Bring readers, posts or a whole publication from a file."),
    "export": ("app.cli.bringing", "export", "Write a whole publication into a zip."),
    "account": ("app.cli.accounts", "account", "Create and list accounts, print codes, make API keys."),
    "switch": ("app.cli.switch", "switch", "Stop mail, start it, let go what waited."),
}


class Program(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command itself, imported now."""
        if cmd_name not in COMMANDS:
            return None
        module, attribute, _ = COMMANDS[cmd_name]
        return getattr(importlib.import_module(module), attribute)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list in --help, without importing anything."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, _, line) in COMMANDS.items()])


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="godwit", message="%(prog)s %(version)s")
def program() -> None:
    """Godwit: write, publish and mail, each reader exactly once."""


def main() -> None:
    """Run the command line and exit: 0 well, 2 wrong use, 130 and the like stopped, 1 anything else."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command; answers its exit status. Whatever people can act upon is one line on stderr."""
    try:
        status = program.main(arguments, prog_name="godwit", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return 2
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else "godwit"
        return _tell(f"{path}: {error.format_message()} (see {path} --help)", 2)
    except click.ClickException as error:
        return _tell(error.format_message(), 2)
    except (click.Abort, KeyboardInterrupt) as error:
        return _stopped(error if isinstance(error, KeyboardInterrupt) else error.__cause__)
    except SettingsError as error:
        return _tell("\n".join(("Godwit does not start with these settings:", *error.problems)), 2)
    except Unavailable as error:
        return _tell(error.detail + _where(error.detail), 1)
    except GodwitError as error:
        return _tell(error.detail, 2)
    except BrokenPipeError:
        return 1
    return status if isinstance(status, int) else 0


def _stopped(error: BaseException | None) -> int:
    """By whom: a signal, Ctrl-C, or the end of what was typed."""
    if isinstance(error, Stopped):
        return _tell(str(error), error.status)
    return _tell("stopped.", _CTRL_C if isinstance(error, KeyboardInterrupt) else 1)


def _where(said: str) -> str:
    """Where the database was looked for, when the environment names it and `said` is about the database."""
    if not said.startswith("The database "):
        return ""
    try:
        told = urlsplit(os.environ.get("DATABASE_URL", ""))
        return f" (DATABASE_URL leads to {told.hostname}:{told.port or 5432}.)" if told.hostname else ""
    except ValueError:
        return ""


def _tell(line: str, status: int) -> int:
    click.echo(line, err=True)
    return status
