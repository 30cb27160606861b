"""An exported publication brought into an empty account, all of it or nothing."""

import zipfile
from collections.abc import Callable
from typing import IO, Any

import msgspec

from app.base.database import Tx
from app.base.errors import Conflict, Invalid
from app.imports.whole import reader_lines, tables
from app.imports.whole.names import names_of
from app.imports.whole.posts import restore_posts
from app.posts import write_media
from app.webhooks import NewEndpoint, add_endpoint

CHUNK = 500
MOST_OCTETS = 4 * 1024**3
"""Of all files unpacked."""
_HOLDS = """
select (select count(*) from reader) as readers, (select count(*) from post) as posts,
       (select count(*) from broadcast) as emails, (select count(*) from plan) as plans,
       (select count(*) from endpoint where deleted_at is null) as webhooks
"""
Progress = Callable[[int, int], None]


def is_export(file: IO[bytes]) -> bool:
    """Whether this is a publication that Godwit exported."""
    try:
        with zipfile.ZipFile(file) as archive:
            return {"publication.json", "readers.jsonl"} <= set(archive.namelist())
    except zipfile.BadZipFile:
        return False


async def restore_everything(tx: Tx, file: IO[bytes], progress: Progress = lambda done, total: None) -> int:
    """Bring it in; answers how many readers, posts and pictures. No mail is sent, and no webhook is called.

    Raises Conflict when the account holds anything yet, Invalid when the file is none of ours or broken.
    """
    await _refuse_full(tx)
    await tx.execute("set local timezone = 'UTC'")
    try:
        with zipfile.ZipFile(file) as archive:
            if sum(info.file_size for info in archive.infolist()) > MOST_OCTETS:
                raise Invalid(
                    "This file holds more than 4 GB unpacked, which no export of a publication does."
                )
            return await _Restoring(tx, archive, progress).run()
    except (zipfile.BadZipFile, KeyError, ValueError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise Invalid(f"This is no whole export of Godwit: {type(error).__name__}: {error}.") from error


async def _refuse_full(tx: Tx) -> None:
    row = await tx.row(_HOLDS)
    assert row is not None
    there = [f"{count:,} {name}" for name, count in row._mapping.items() if count]
    if there:
        raise Conflict(
            f"This publication holds {', '.join(there)} already."
            " An export goes into an empty one: make one with godwit account create."
        )


class _Restoring:
    def __init__(self, tx: Tx, archive: zipfile.ZipFile, progress: Progress) -> None:
        self._tx = tx
        self._archive = archive
        self._names = archive.namelist()
        self._progress = progress
        self._done = 0
        self._posts = _by_folder(self._names)
        self._media = sorted(name for name in self._names if name.startswith("media/"))
        self._total = len(self._posts) + len(self._media)

    async def run(self) -> int:
        await self._publication()
        for lines in (tables.NEWSLETTERS, tables.PLANS):
            await self._lines(lines, self._rows(lines.name))
        named = await names_of(self._tx)
        segments = [row | {"filter": named.with_ids(row["filter"])} for row in self._rows("segments")]
        await self._lines(tables.SEGMENTS, segments)
        await self._readers()
        await restore_posts(self._tx, (self._post(files) for files in self._posts))
        for name in self._media:
            await write_media(name.partition("/")[2], self._archive.read(name))
            self._moved(1)
        rest = (tables.SUPPRESSIONS, tables.SUPPRESSION_CHANGES, tables.ERASED, tables.MEDIA)
        for lines in (*rest, tables.RELEASES, tables.REDIRECTS):
            await self._lines(lines, self._rows(lines.name))
        await self._webhooks()
        return self._done

    async def _publication(self) -> None:
        told = msgspec.json.decode(self._archive.read("publication.json"))
        await self._tx.execute(tables.RESTORE_PUBLICATION, account=self._tx.account_id, **told)

    async def _lines(self, lines: tables.Lines, rows: list[dict[str, Any]]) -> None:
        if rows:
            await self._tx.execute(lines.restore, account=self._tx.account_id, rows=rows)

    async def _webhooks(self) -> None:
        """Paused, with a new secret each: the old one is in no export."""
        if "webhooks.jsonl" not in self._names:  # of a Godwit before 0.4, or taken along by an editor
            return
        for row in self._rows("webhooks"):
            added, _ = await add_endpoint(
                self._tx, NewEndpoint(row["url"], tuple(row["events"]), row["description"])
            )
            await self._tx.execute(tables.RESTORE_WEBHOOK, id=added.id, created_at=row["created_at"])

    async def _readers(self) -> None:
        with self._archive.open("readers.jsonl") as file:
            while chunk := [msgspec.json.decode(line) for _, line in zip(range(CHUNK), file, strict=False)]:
                await self._tx.execute(reader_lines.RESTORE, account=self._tx.account_id, rows=chunk)
                self._total += len(chunk)
                self._moved(len(chunk))

    def _rows(self, name: str) -> list[dict[str, Any]]:
        return [msgspec.json.decode(line) for line in self._archive.read(f"{name}.jsonl").splitlines()]

    def _post(self, files: list[str]) -> dict[str, bytes]:
        self._moved(1)
        return {name.rpartition("/")[2]: self._archive.read(name) for name in files}

    def _moved(self, by: int) -> None:
        self._done += by
        self._progress(self._done, self._total)


def _by_folder(names: list[str]) -> list[list[str]]:
    """The files of each post, in the order of the numbers that their folders begin with."""
    found: dict[str, list[str]] = {}
    for name in names:
        if name.startswith("posts/"):
            found.setdefault(name.split("/")[1], []).append(name)
    return [found[folder] for folder in sorted(found, key=lambda folder: int(folder.split("-")[0]))]
