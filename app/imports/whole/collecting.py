"""Everything of an account into a zip."""

import asyncio
import csv
import io
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from typing import IO, Any

import msgspec

from app.audiences import COLUMNS, ReaderRow, reader_cells
from app.base.database import Database, Tx
from app.imports.whole import reader_lines, tables
from app.imports.whole.names import Names, names_of
from app.imports.whole.posts import files_of
from app.posts import media_file

CHUNK = 500
LINES = (
    *(tables.NEWSLETTERS, tables.PLANS, tables.SUPPRESSIONS, tables.SUPPRESSION_CHANGES, tables.ERASED),
    *(tables.RELEASES, tables.REDIRECTS, tables.MEDIA),
)
ENDINGS = {"image/jpeg": "jpg", "image/png": "png", "image/gif": "gif", "image/webp": "webp"}
README = """This is a publication, exported from Godwit. Bring it into an empty one with:

    godwit import --account SHORT-NAME THIS-FILE.zip

readers.csv is for spreadsheets and other products; every line of readers.jsonl is a reader with all that is
kept of them. Posts are Markdown with front matter. Emails and their copies are not in it, nor the team.

webhooks.jsonl, if an owner took this along, has the addresses that are told of events; these may be keys in
themselves. They come back paused, each with a new secret. What was delivered to them is not in it.
"""
_COUNT = "select (select count(*) from reader) + (select count(*) from post) + (select count(*) from media)"
_PICTURES = "select hash, kind from media order by hash"
Progress = Callable[[int, int], None]


async def export_everything(
    database: Database,
    account_id: int,
    file: IO[bytes],
    progress: Progress = lambda done, total: None,
    *,
    webhooks: bool = True,
) -> None:
    """Write the zip; `progress` hears of (readers, posts and pictures written, all of them).

    `webhooks`: with their addresses, which not everybody may read who may take the rest along.

    All of it is one moment of the account. Of a large table some rows are held at a time; packing goes on in
    threads. Pictures never change, so their files are read when the transaction is over.
    """
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        async with database.transaction(account_id, snapshot=True) as tx:
            await tx.execute("set local timezone = 'UTC'")
            total = await tx.value(_COUNT)
            await _write_tables(tx, archive)
            if webhooks:
                _write(archive, "webhooks.jsonl", _jsonl([row[0] for row in await tx.rows(tables.WEBHOOKS)]))
            done = await _write_readers(tx, archive, lambda more: progress(more, total))
            async for post in files_of(tx):
                files = {f"posts/{post.folder}/{name}": content for name, content in post.files.items()}
                await asyncio.to_thread(_write_all, archive, files)
                done += 1
                progress(done, total)
            pictures = [(row.hash, row.kind) for row in await tx.rows(_PICTURES)]
        for digest, kind in pictures:
            name = f"{digest}.{ENDINGS[kind]}"
            picture = await media_file(name)
            if picture is not None:
                await asyncio.to_thread(_write, archive, f"media/{name}", picture.data, zipfile.ZIP_STORED)
            done += 1
            progress(done, total)


async def _write_tables(tx: Tx, archive: zipfile.ZipFile) -> None:
    _write(archive, "README.txt", README.encode())
    told = await tx.value(tables.PUBLICATION, account=tx.account_id)
    _write(archive, "publication.json", msgspec.json.format(msgspec.json.encode(told)))
    for lines in LINES:
        # A cursor: these are read in an order of their own, and may be as many as readers are.
        await tx.execute(f"declare lines no scroll cursor for {lines.read}")
        with archive.open(_info(f"{lines.name}.jsonl"), "w") as out:
            while rows := await tx.rows(f"fetch {CHUNK} from lines"):
                await asyncio.to_thread(out.write, _jsonl([row[0] for row in rows]))
        await tx.execute("close lines")
    named = await names_of(tx)
    segments = [_segment(row[0], named) for row in await tx.rows(tables.SEGMENTS.read)]
    _write(archive, "segments.jsonl", _jsonl(segments))


async def _write_readers(tx: Tx, archive: zipfile.ZipFile, progress: Callable[[int], None]) -> int:
    """Both files of readers, the spreadsheet's on the side until the other is whole."""
    blocked = {row.address: row.reason for row in await tx.rows("select address, reason from suppression")}
    done, after = 0, ""
    with tempfile.TemporaryFile() as aside:
        table = io.TextIOWrapper(aside, "utf-8-sig", newline="")
        csv.writer(table).writerow(COLUMNS)
        with archive.open(_info("readers.jsonl"), "w") as out:
            while rows := await tx.rows(reader_lines.READ, after=after, most=CHUNK):
                told = [row.told for row in rows]
                await asyncio.to_thread(_write_chunk, out, table, told, blocked)
                done, after = done + len(rows), rows[-1].email
                progress(done)
        table.flush()
        aside.seek(0)
        with archive.open(_info("readers.csv"), "w") as out:
            await asyncio.to_thread(shutil.copyfileobj, aside, out)
    return done


def _write_chunk(
    out: IO[bytes], table: io.TextIOWrapper, told: list[dict[str, Any]], blocked: Mapping[str, str]
) -> None:
    out.write(_jsonl(told))
    csv.writer(table).writerows(_spreadsheet(one, blocked) for one in told)


def _spreadsheet(told: dict[str, Any], blocked: Mapping[str, str]) -> list[str]:
    newsletters = {one["newsletter"]: one["state"] for one in told["subscriptions"]}
    states = set(newsletters.values())
    state = next((one for one in ("active", "pending") if one in states), "unsubscribed")
    why = blocked.get(told["email"], "")
    row = ReaderRow(
        *(told["email"], told["name"], "suppressed" if why else state, newsletters, why),
        *(told["tags"], told["note"], told["source"], told["joined_at"]),
    )
    return reader_cells(row)


def _segment(told: dict[str, Any], named: Names) -> dict[str, Any]:
    return told | {"filter": named.without_ids(told["filter"])}


def _jsonl(rows: list[Any]) -> bytes:
    encoder = msgspec.json.Encoder(order="deterministic")
    return b"".join(encoder.encode(row) + b"\n" for row in rows)


def _write(archive: zipfile.ZipFile, name: str, content: bytes, how: int = zipfile.ZIP_DEFLATED) -> None:
    archive.writestr(_info(name), content, how)


def _write_all(archive: zipfile.ZipFile, files: Mapping[str, bytes]) -> None:
    for name, content in files.items():
        _write(archive, name, content)


def _info(name: str) -> zipfile.ZipInfo:
    """Without a time of its own: the same content is the same file."""
    info = zipfile.ZipInfo(name)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o644 << 16
    return info
