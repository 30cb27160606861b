"""The jobs of an import: read the file beside the loop, bring its rows in chunk by chunk; take it back so."""

import asyncio
from itertools import islice

from app.base.errors import Invalid
from app.base.statistics import READERS, look_anew
from app.imports.formats import Reading, count_rows, read
from app.imports.posts.running import bring_posts
from app.imports.recording import CHUNK, record_rows
from app.imports.runs import (
    FILE_KEPT_DAYS,
    ImportReaders,
    PruneImportFiles,
    Run,
    begin_run,
    end_run,
    note_total,
)
from app.imports.undoing import UndoImport, end_undo, undo_some
from app.jobs import Continue, Done, Outcome, Work, handles

WHAT_NOW = "What came in stays. Import the file again, or ask whoever runs this Godwit: the log says why."


@handles(ImportReaders)
async def run_import(work: Work, args: ImportReaders) -> Outcome:
    """Goes on at the committed row. The last try only ends an import that never came to its end (N3)."""
    async with work.step() as tx:
        run = await begin_run(tx, args.import_id)
    if run is None:
        return Done()
    try:
        if work.job.attempts < work.job.max_attempts:
            return await _read_to_the_end(work, run)
        reason = f"It broke {work.job.attempts - 1} times, the last time after row {run.rows:,}. {WHAT_NOW}"
    except Invalid as error:
        reason = error.detail
    async with work.step() as tx:
        await end_run(tx, args.import_id, reason)
    return Done()


@handles(PruneImportFiles)
async def prune_import_files(work: Work, args: PruneImportFiles) -> Outcome:
    """Of every account, some at a time; what still waited then has failed."""
    while not work.stopping:
        async with work.step() as tx:
            if await tx.value("select prune_import_files(:days)", days=FILE_KEPT_DAYS) == 0:
                return Done()
    return Continue()


@handles(UndoImport)
async def run_undo(work: Work, args: UndoImport) -> Outcome:
    """Takes back what is left to take back: killed at any instant, it goes on."""
    more = True
    while more:
        async with work.step() as tx:
            more = await undo_some(tx, args.import_id)
        if work.stopping and more:
            return Continue()
    async with work.step() as tx:
        await end_undo(tx, args.import_id)
    return Done()


async def _read_to_the_end(work: Work, run: Run) -> Outcome:
    if run.kind == "posts":
        return await bring_posts(work, run)
    if run.rows == 0:
        total = await asyncio.to_thread(count_rows, run.content)
        async with work.step() as tx:
            await note_total(tx, run, total)
    reading = await asyncio.to_thread(_reading, run)
    rows = islice(reading.rows, run.rows, None)
    while chunk := await asyncio.to_thread(lambda: list(islice(rows, CHUNK))):
        async with work.step() as tx:
            run = await record_rows(tx, run, chunk)
        if work.stopping:
            return Continue()
    async with work.step() as tx:
        await end_run(tx, run.id)
    async with work.transaction() as tx:
        await look_anew(tx, READERS)
    return Done()


def _reading(run: Run) -> Reading:
    return read(run.content, run.format, run.mapping, run.newsletter)
