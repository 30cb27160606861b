"""Kinds of job that exist in these tests alone; what they do is written to a file line by line."""

import asyncio
import os
import signal
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from app.jobs import Continue, Done, Outcome, Refused, Retry, Throttled, Unknown, Work, handles, job
from app.jobs.backoff import Backoff

QUEUE = "build"
LATER = datetime(2099, 5, 3, 10, 14, 0, 250_000, UTC)


@job("test_note", queue=QUEUE)
@dataclass(frozen=True)
class Note:
    """Write a line when begun and when ended; between them wait for the file `gate`, if given."""

    word: str
    path: str
    gate: str = ""


@job("test_note_abroad", queue="webhooks", abroad=True)
@dataclass(frozen=True)
class NoteAbroad(Note):
    """The same, where a stranger is waited for."""


@job("test_answer", queue=QUEUE, tries=3, on_unknown="held", backoff=Backoff(first=100, most=150))
@dataclass(frozen=True)
class Answer:
    """Answer this outcome."""

    outcome: str
    reason: str = "because"


@job("test_slow", queue="webhooks", on_unknown="held", abroad=True)
@dataclass(frozen=True)
class Hang:
    """Never come back."""


@job("test_slow_here", queue=QUEUE)
@dataclass(frozen=True)
class HangHere:
    """The same, where no stranger is waited for."""


@job("test_raise", queue="webhooks")
@dataclass(frozen=True)
class Raise:
    """Raise an exception; `message` with escapes, as a job's args cannot hold what other sides say."""

    message: str


@job("test_statement", queue="webhooks")
@dataclass(frozen=True)
class Statement:
    """Run SQL."""

    sql: str


@job("test_quick", queue="webhooks")
@dataclass(frozen=True)
class Quick:
    """Write one line."""

    word: str
    path: str


@job("test_kill", queue="payments", tries=2)
@dataclass(frozen=True)
class Kill:
    """Kill the worker that runs it."""

    path: str


@job("test_secret", queue=QUEUE, tries=1, secrets=("code",))
@dataclass(frozen=True)
class Secret:
    """Carries something to forget."""

    code: str
    word: str
    outcome: str = "done"


@job("test_steps", queue="imports")
@dataclass(frozen=True)
class Steps:
    """Long work in committed steps: one line a step, until `steps` or until asked to stop."""

    path: str
    gate: str
    steps: int


@job("test_orphan", queue=QUEUE)
@dataclass(frozen=True)
class Orphan:
    """A kind that no process here handles."""


def write(path: str, line: str) -> None:
    """Append a whole line, also when several processes write."""
    with Path(path).open("a") as file:
        file.write(line + "\n")


async def gate_open(gate: str, work: Work | None = None) -> None:
    """Wait until the file exists, or until `work` is asked to stop."""
    while gate and not (os.path.exists(gate) or (work and work.stopping)):  # noqa: ASYNC110, ASYNC240
        await asyncio.sleep(0.01)


@handles(Note)
@handles(NoteAbroad)
async def note(work: Work, args: Note) -> Outcome:
    """Begin, wait, end."""
    write(args.path, f"begin {args.word} {os.getpid()} {work.job.lease}")
    await gate_open(args.gate)
    write(args.path, f"end {args.word} {os.getpid()} {work.job.lease}")
    return Done()


@handles(Answer)
async def answer(work: Work, args: Answer) -> Outcome:
    """The outcome named."""
    return {
        "done": Done(),
        "continue": Continue(),
        "continue_later": Continue(LATER, args.reason),
        "retry": Retry(args.reason),
        "throttled": Throttled(args.reason, after=60),
        "refused": Refused(args.reason),
        "unknown": Unknown(args.reason),
    }[args.outcome]


@handles(Hang)
@handles(HangHere)
async def hang(work: Work, args: Hang | HangHere) -> Outcome:
    """Wait for what never comes."""
    await asyncio.Event().wait()
    return Done()


@handles(Raise)
async def fail(work: Work, args: Raise) -> Outcome:
    """Raise."""
    raise ValueError(args.message.encode().decode("unicode_escape"))


@handles(Statement)
async def run_statement(work: Work, args: Statement) -> Outcome:
    """Whatever comes of it."""
    async with work.transaction() as tx:
        await tx.execute(args.sql)
    return Done()


@handles(Quick)
async def quick(work: Work, args: Quick) -> Outcome:
    """One line."""
    write(args.path, args.word)
    return Done()


@handles(Kill)
async def kill(work: Work, args: Kill) -> Outcome:
    """Die."""
    write(args.path, f"killed {os.getpid()}")
    os.kill(os.getpid(), signal.SIGKILL)
    return Done()


@handles(Secret)
async def secret(work: Work, args: Secret) -> Outcome:
    """Done, or dead."""
    return Done() if args.outcome == "done" else Refused("no")


@handles(Steps)
async def steps(work: Work, args: Steps) -> Outcome:
    """Each step in a commit of its own; handed back when the worker is asked to stop."""
    while True:
        async with work.step() as tx:
            at = await tx.value("select count(*) from reader_tag")
            await tx.execute(
                "insert into reader_tag (account_id, reader_id, tag) select account_id, id, :tag from reader",
                tag=f"step {at}",
            )
        write(args.path, f"step {at}")
        if at == 1:
            await gate_open(args.gate, work)
        if at + 1 >= args.steps:
            return Done()
        if work.stopping:
            return Continue()
