"""Imports, and the worker that runs them, step by step or as a process that can be killed."""

import contextlib
import csv as table
import io
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any
from uuid import UUID

import app.imports.jobs  # noqa: F401  (registers the handler, as the workers' catalogue does)
from app.base.database import Database
from app.imports import ImportView, NewImport, import_view, start_import
from app.jobs import Outcome, Work, leases
from app.jobs.registry import ClaimedJob, decoded, handler_of, kind_named
from tests.readers.makers import Place

ROOT = Path(__file__).parents[2]
GHOST = (ROOT / "tests" / "data" / "ghost-members.csv").read_bytes()
HEADER = "email,name,note,subscribed_to_emails,created_at,labels\n"


def csv(*lines: str) -> bytes:
    """A small Ghost export."""
    return (HEADER + "".join(f"{line}\n" for line in lines)).encode()


def first(content: bytes, rows: int) -> bytes:
    """The header of a table and its first rows."""
    out = io.StringIO(newline="")
    writer = table.writer(out)
    writer.writerows(islice(table.reader(io.StringIO(content.decode(), newline="")), rows + 1))
    return out.getvalue().encode()


async def begun(place: Place, content: bytes, format: str = "ghost", **more: Any) -> UUID:
    """An import that waits for its worker."""
    new = NewImport(place.newsletter_id, format, "members.csv", content, "Ana Moreau", **more)
    async with place.transaction() as tx:
        return await start_import(tx, new)


async def run_once(worker: Database, stopping: Callable[[], bool] = lambda: False) -> Outcome:
    """Claim the due import and handle it, without settling: as if the worker died after it."""
    async with worker.transaction() as tx:
        (row,) = await leases.claim(
            tx,
            queue="imports",
            kinds={"import_readers": 1, "undo_import": 1},
            worker="a test",
            after="",
            wanted=1,
            per_share=1,
            most_leases=9,
        )
    job = ClaimedJob(*row[:-1])
    return await handler_of(job.kind)(Work(worker, job, stopping), decoded(kind_named(job.kind), job.args))


async def settled(worker: Database) -> None:
    """Whatever was in hand is done with, so that the next claim finds the next."""
    async with worker.transaction() as tx:
        await tx.execute(
            "update job set state = 'done', finished_at = now(), leased_until = null, leased_by = null,"
            " leased_at = null where state = 'leased'"
        )


async def as_if_its_worker_died(owner: Database) -> None:
    """The lease of whatever is in hand runs out, and the sweep frees it."""
    async with owner.transaction() as tx:
        await tx.execute(
            "update job set leased_until = clock_timestamp() - interval '1 s' where state = 'leased'"
        )
        await leases.expire_leases(tx)


async def imported(
    place: Place, worker: Database, content: bytes, format: str = "ghost", **more: Any
) -> ImportView:
    """The import of a file, run to its end."""
    made = await begun(place, content, format, **more)
    await run_once(worker)
    await settled(worker)
    return await seen(place, made)


async def seen(place: Place, import_id: UUID) -> ImportView:
    """The import as its page shows it."""
    async with place.transaction() as tx:
        found = await import_view(tx, import_id)
    assert found is not None
    return found


def counts(view: ImportView) -> tuple[int, int, int, int, int]:
    """Created, updated, unchanged, skipped, failed: they add up to the rows read (N1)."""
    parts = (view.created, view.updated, view.unchanged, view.skipped, view.failed)
    assert sum(parts) == view.rows
    return parts


@contextlib.contextmanager
def import_worker() -> Iterator["subprocess.Popen[bytes]"]:
    """A real worker of the queue imports; killed at the end if it still runs."""
    process = subprocess.Popen(
        [sys.executable, "-m", "workers", "--queues", "imports"],
        cwd=ROOT,
        env=dict(os.environ),
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGKILL)
        process.wait()
