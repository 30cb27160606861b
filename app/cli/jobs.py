"""`godwit jobs …`: what waits, what gave up and why; try it again, or give it up for good."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from app.base.database import Tx
from app.base.errors import Conflict, NotFound
from app.cli.asking import ask, json_option, print_json
from app.cli.environment import data_option
from app.jobs import (
    OPEN,
    QUEUES,
    JobLine,
    JobState,
    discard_job,
    operator_attempts,
    operator_job,
    operator_jobs,
    retry_job,
)

MOST = 50
_BECAUSE = "given up by an operator (godwit jobs discard)"
_number = click.IntRange(1, 2**63 - 1)
_number.name = "job number"
_numbers = click.argument("numbers", metavar="N…", type=_number, nargs=-1, required=True)


@click.group(invoke_without_command=True)
@click.option(
    "--state", type=click.Choice([str(state) for state in JobState]), help="Only jobs in this state."
)
@click.option("--queue", type=click.Choice(list(QUEUES)), help="Only jobs of this queue.")
@click.option("--before", type=_number, metavar="N", help="Only jobs with a number below this one.")
@json_option
@data_option
@click.pass_context
def jobs(
    context: click.Context,
    state: str | None,
    queue: str | None,
    before: int | None,
    as_json: bool,
    data: Path | None,
) -> None:
    """List jobs, newest first: those that are not over, or those in one state."""
    if context.invoked_subcommand is not None:
        return
    states = (state,) if state else OPEN
    found = ask(
        data,
        "operator",
        lambda tx: operator_jobs(tx, states=states, queue=queue, before=before, most=MOST + 1),
    )
    if as_json:
        older = found[MOST - 1].id if len(found) > MOST else None
        print_json({"items": [asdict(one) for one in found[:MOST]], "before": older})
        return
    if not found:
        click.echo("No job like that." if state or queue or before else "Nothing waits, and nothing gave up.")
    for one in found[:MOST]:
        click.echo(_line(one))
    if len(found) > MOST:
        click.echo(f"… and older ones: --before {found[MOST - 1].id}")


@jobs.command()
@click.argument("number", metavar="N", type=_number)
@json_option
@data_option
def show(number: int, as_json: bool, data: Path | None) -> None:
    """Show one job and what was tried."""

    async def read(tx: Tx) -> Any:
        return await operator_job(tx, number), await operator_attempts(tx, number)

    found, tried = ask(data, "operator", read)
    if found is None:
        raise NotFound(_missing(number))
    if as_json:
        print_json({**asdict(found), "tried": [asdict(one) for one in tried]})
        return
    for name, value in asdict(found).items():
        if value not in (None, ""):
            click.echo(f"{name}: {_time(value) if isinstance(value, datetime) else value}")
    for one in tried:
        late = ", too late" if one.late else ""
        seconds = (one.ended_at - one.started_at).total_seconds()
        click.echo(
            f"try {one.number}: {_time(one.started_at)}, {one.outcome}{late} after {seconds:.1f} s"
            f" at {one.worker}{': ' + one.reason if one.reason else ''}"
        )


@jobs.command()
@_numbers
@json_option
@data_option
def retry(numbers: tuple[int, ...], as_json: bool, data: Path | None) -> None:
    """Try jobs again that gave up or are held, with all their tries before them."""
    _decide(data, numbers, retry_job, ("retried", "dead or held", "ready again"), as_json=as_json)


@jobs.command()
@_numbers
@click.option("--reason", default=_BECAUSE, help="Why; it stays with the job.")
@json_option
@data_option
def discard(numbers: tuple[int, ...], reason: str, as_json: bool, data: Path | None) -> None:
    """Give jobs up for good that wait, gave up or are held."""

    async def give_up(tx: Tx, number: int) -> bool:
        return await discard_job(tx, number, reason or _BECAUSE)

    _decide(
        data, numbers, give_up, ("discarded", "ready, dead or held", "given up for good"), as_json=as_json
    )


def _decide(
    data: Path | None,
    numbers: Sequence[int],
    act: Callable[[Tx, int], Awaitable[bool]],
    words: tuple[str, str, str],
    *,
    as_json: bool,
) -> None:
    """All or none: a number that does not fit undoes the others, and says so."""
    done, wanted, said = words
    once = list(dict.fromkeys(numbers))

    async def decide(tx: Tx) -> None:
        for number in sorted(once):  # two who decide at once lock the same ones in one order
            if await act(tx, number):
                continue
            found = await operator_job(tx, number)
            if found is None:
                raise NotFound(f"{_missing(number)} Nothing was changed.")
            raise Conflict(f"Job {number} is {found.state}, not {wanted}. Nothing was changed.")

    ask(data, "operator", decide)
    if as_json:
        print_json({done: once})
        return
    for number in once:
        click.echo(f"{number}\t{said}")


def _missing(number: int) -> str:
    return f"There is no job {number}; one that is over goes after some weeks."


def _line(one: JobLine) -> str:
    whose, tries = one.account or "platform", f"{one.attempts}/{one.max_attempts}"
    return "\t".join(
        (str(one.id), one.state, one.queue, one.kind, whose, tries, _time(one.run_at), one.reason or "")
    )


def _time(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S} UTC"
