"""`godwit import` and `godwit export`: as in the studio, with a progress bar."""

import asyncio
import io
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar
from uuid import UUID

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from app.accounts import account_named
from app.base import clock
from app.base.database import Database, Tx
from app.base.errors import GodwitError, Invalid, NotFound
from app.cli.asking import json_option, print_json
from app.cli.children import spawn, stop
from app.cli.environment import data_option, inherited
from app.cli.installation import installation
from app.imports import (
    ImportView,
    NewImport,
    export_everything,
    file_to_import,
    import_view,
    is_export,
    restore_everything,
    start_import,
)
from app.readers import default_newsletter, newsletter_by_slug
from app.webhooks import endpoints

_account = click.option("--account", required=True, help="The publication's short name.")
Answer = TypeVar("Answer")
BY = "godwit import"
LOOK = 0.2
PATIENCE = 20.0


@click.command("export")
@_account
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@json_option
@data_option
def export(account: str, folder: Path, as_json: bool, data: Path | None) -> None:
    """Write everything of a publication into a zip in DIR: readers, posts, pictures, plans, webhooks."""
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{account}-{clock.now():%Y-%m-%d-%H%M%S}.zip"
    half = target.with_suffix(".part")

    async def write(database: Database, account_id: int) -> None:
        with half.open("wb") as file, _bar("Exporting", quiet=as_json) as moved:
            await export_everything(database, account_id, file, moved)

    with installation(data):
        try:
            asyncio.run(_in_account(account, write))
            half.rename(target)
        finally:
            with suppress(FileNotFoundError):
                half.unlink()
    if as_json:
        print_json({"file": str(target), "size": target.stat().st_size})
    else:
        click.echo(str(target))


@click.command("import")
@_account
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--format", "wanted", default="auto", help="ghost, substack, …; found out by itself.")
@click.option("--newsletter", help="Its short name; the main one is meant otherwise.")
@click.option("--dry-run", is_flag=True, help="Report what would come of it, and change nothing.")
@click.option("--consent-stated", is_flag=True, help="Everybody in the file agreed to get the newsletter.")
@json_option
@data_option
def import_(
    account: str,
    file: Path,
    wanted: str,
    newsletter: str | None,
    dry_run: bool,
    consent_stated: bool,
    as_json: bool,
    data: Path | None,
) -> None:
    """Bring in FILE: readers (CSV), posts (Ghost's JSON, Substack's zip), or what `godwit export` wrote."""
    content = file.read_bytes()
    with installation(data):
        if is_export(io.BytesIO(content)):
            _refuse_beside_an_export(wanted, newsletter, dry_run=dry_run, consent_stated=consent_stated)
            _restore(account, content, as_json=as_json)
            return

        async def begin(tx: Tx) -> UUID:
            found = await file_to_import(content, wanted)
            new = NewImport(
                newsletter_id=await _newsletter(tx, newsletter),
                format=found.format,
                file_name=file.name,
                content=content,
                made_by=BY,
                dry_run=dry_run,
                consent_stated=consent_stated,
                mapping=found.mapping,
                kind=found.kind,
            )
            return await start_import(tx, new)

        made = asyncio.run(_within(account, begin))
        view = _followed(account, made, quiet=as_json)
    _tell(view, as_json=as_json)


def _refuse_beside_an_export(
    wanted: str, newsletter: str | None, *, dry_run: bool, consent_stated: bool
) -> None:
    """An option that would be passed over is an error: nobody may believe that nothing was changed."""
    given = {
        "--dry-run": dry_run,
        "--format": wanted != "auto",
        "--newsletter": newsletter is not None,
        "--consent-stated": consent_stated,
    }
    if passed_over := [name for name, is_given in given.items() if is_given]:
        raise click.UsageError(
            f"{' and '.join(passed_over)} cannot be given with an export of Godwit: it comes back as it went,"
            " whole, into a publication that is empty. Nothing was changed."
        )


def _restore(account: str, content: bytes, *, as_json: bool) -> None:
    async def bring(tx: Tx) -> tuple[int, int]:
        with _bar("Bringing in", quiet=as_json) as moved:
            return await restore_everything(tx, io.BytesIO(content), moved), len(await endpoints(tx))

    count, webhooks = asyncio.run(_within(account, bring))
    if as_json:
        print_json({"restored": count, "webhooks": webhooks})
        return
    click.echo(f"{count:,} readers, posts and pictures are in {account}. Nobody is mailed by this.")
    if webhooks:
        click.echo(
            f"Webhooks that came along: {webhooks}. They are paused, each with a new secret that nobody has"
            " seen. In the studio, under Webhooks, make a new secret for each, put it in place, resume it."
        )


def _followed(account: str, import_id: UUID, *, quiet: bool) -> ImportView:
    """Wait for the import with a worker of our own beside whatever runs: the first of them does it."""
    command = [sys.executable, "-m", "workers", "--queues", "imports"]
    worker = spawn(command, at_our_death=signal.SIGKILL, env=inherited(), output=subprocess.DEVNULL)
    try:
        return asyncio.run(_watched(account, import_id, quiet=quiet))
    finally:
        stop(worker, signal.SIGTERM, PATIENCE)


async def _watched(account: str, import_id: UUID, *, quiet: bool) -> ImportView:
    database = Database.for_role("web", pooled=False)
    try:
        async with database.transaction() as tx:
            account_id = await _id_of(tx, account)
        with _bar("Importing", quiet=quiet) as moved:
            while True:
                async with database.transaction(account_id) as tx:
                    view = await import_view(tx, import_id)
                assert view is not None
                moved(view.rows, view.total or 0)
                if view.is_over:
                    return view
                await asyncio.sleep(LOOK)
    finally:
        await database.close()


def _tell(view: ImportView, *, as_json: bool) -> None:
    counts = {
        name: getattr(view, name) for name in ("rows", "created", "updated", "unchanged", "skipped", "failed")
    }
    if as_json:
        print_json(
            {"id": view.id, "state": view.state, "dry_run": view.dry_run, "reason": view.reason, **counts}
        )
    else:
        would = " (a dry run: nothing was changed)" if view.dry_run else ""
        click.echo(", ".join(f"{count:,} {name}" for name, count in counts.items()) + would)
        if view.skipped + view.failed:
            click.echo(
                "The rows that were not taken stand on the import's page (Readers, Import) with reasons."
            )
    if view.state == "failed":
        raise GodwitError(f"The import failed. {view.reason}")


async def _within(account: str, act: Callable[[Tx], Awaitable[Answer]]) -> Answer:
    """Run `act` in one transaction of the account."""

    async def whole(database: Database, account_id: int) -> Answer:
        async with database.transaction(account_id) as tx:
            return await act(tx)

    return await _in_account(account, whole)


async def _in_account(account: str, act: Callable[[Database, int], Awaitable[Answer]]) -> Answer:
    database = Database.for_role("web", pooled=False)
    try:
        async with database.transaction() as tx:
            account_id = await _id_of(tx, account)
        return await act(database, account_id)
    finally:
        await database.close()


async def _id_of(tx: Tx, account: str) -> int:
    found = await account_named(tx, account)
    if found is None:
        raise NotFound(f"There is no publication {account!r}: godwit account list names them.")
    return found


async def _newsletter(tx: Tx, slug: str | None) -> UUID:
    if slug is None:
        return (await default_newsletter(tx)).id
    found = await newsletter_by_slug(tx, slug)
    if found is None:
        raise Invalid(f"There is no newsletter {slug!r}.")
    return found.id


@contextmanager
def _bar(label: str, *, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on stderr; answers what moves it: (done, all)."""
    columns = (TextColumn(label), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), disable=quiet) as progress:
        task = progress.add_task(label, total=None)

        def moved(done: int, total: int) -> None:
            progress.update(task, completed=done, total=total or None)

        yield moved
