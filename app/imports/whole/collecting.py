"""Everything of an account into a zip."""

import csv
import io
import zipfile
from collections.abc import Callable, Mapping
from typing import IO, Any

import msgspec

from app.audiences import COLUMNS, ReaderRow, reader_cells
from app.base.database import Tx
from app.imports.whole import tables
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
"""
_COUNT = "select (select count(*) from reader) + (select count(*) from post) + (select count(*) from media)"
Progress = Callable[[int, int], None]


async def export_everything(tx: Tx, file: IO[bytes], progress: Progress = lambda done, total: None) -> None:
    """Write the zip; `progress` hears of (readers, posts and pictures written, all of them)."""
    await tx.execute("set local timezone = 'UTC'")
    total, done = await tx.value(_COUNT), 0
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        _write(archive, "README.txt", README.encode())
        told = await tx.value(tables.PUBLICATION, account=tx.account_id)
        _write(archive, "publication.json", msgspec.json.format(msgspec.json.encode(told)))
        for lines in LINES:
            _write(archive, f"{lines.name}.jsonl", _jsonl([row[0] for row in await tx.rows(lines.read)]))
        named = await names_of(tx)
        segments = [_segment(row[0], named) for row in await tx.rows(tables.SEGMENTS.read)]
        _write(archive, "segments.jsonl", _jsonl(segments))
        done = await _write_readers(tx, archive, lambda more: progress(more, total))
        for post in await files_of(tx):
            for name, content in post.files.items():
                _write(archive, f"posts/{post.folder}/{name}", content)
            done += 1
            progress(done, total)
        for row in await tx.rows(tables.MEDIA.read):
            name = f"{row[0]['hash']}.{ENDINGS[row[0]['kind']]}"
            picture = await media_file(name)
            if picture is not None:
                _write(archive, f"media/{name}", picture.data, zipfile.ZIP_STORED)
            done += 1
            progress(done, total)


async def _write_readers(tx: Tx, archive: zipfile.ZipFile, progress: Callable[[int], None]) -> int:
    """Both files of readers; only the spreadsheet's is held until its end."""
    table = io.StringIO(newline="")
    writer = csv.writer(table)
    writer.writerow(COLUMNS)
    blocked = {row.address: row.reason for row in await tx.rows("select address, reason from suppression")}
    done, after = 0, ""
    with archive.open(_info("readers.jsonl"), "w") as out:
        while rows := await tx.rows(tables.READERS, after=after, most=CHUNK):
            out.write(_jsonl([row.told for row in rows]))
            writer.writerows(_spreadsheet(row.told, blocked) for row in rows)
            done, after = done + len(rows), rows[-1].email
            progress(done)
    _write(archive, "readers.csv", table.getvalue().encode("utf-8-sig"))
    return done


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


def _info(name: str) -> zipfile.ZipInfo:
    """Without a time of its own: the same content is the same file."""
    info = zipfile.ZipInfo(name)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o644 << 16
    return info
