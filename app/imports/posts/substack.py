"""Substack's export: a zip with posts.csv and posts/<post_id>.html, where post_id is `<digits>.<slug>`.

A row may have no HTML (Substack leaves recent ones out) and the other way about. `audience` is everyone,
only_free, only_paid or founding; `type` newsletter, podcast, thread or page. A post stood at /p/<slug>.
"""

import csv
import io
from collections.abc import Mapping
from functools import partial
from html import unescape
from itertools import islice
from typing import Any

from app.base.fields import scrub
from app.imports.formats.cells import moment, yes_or_no
from app.imports.posts.archive import Archive
from app.imports.posts.foreign import Body, ForeignPost, no_body, oldest_first
from app.imports.uploads import LARGEST_FILE, MOST_COLUMNS, UploadError

name = "substack-posts"
title = "Substack export"
LARGEST_BODY = 16 * 1024**2
"""Octets of one post as HTML."""
_ACCESS = {"everyone": "everyone", "only_free": "subscribers", "only_paid": "paid", "founding": "paid"}


def posts_of(archive: Archive, table: str, most: int) -> tuple[tuple[ForeignPost, ...], tuple[str, ...]]:
    """Every post, oldest first, and what of the file as a whole is lost; of more than `most` one too many.

    Raises UploadError when the table cannot be read.
    """
    rows = _rows(archive.read(table, LARGEST_FILE), most)
    bodies = {
        path.rpartition("/")[2].removesuffix(".html"): path
        for path in archive.paths
        if path.endswith(".html")
    }
    found = [_post(row, archive, bodies.get(row.get("post_id", ""))) for row in rows]
    known = {row.get("post_id") for row in rows}
    lost = [f"posts/{name}.html belongs to no row of posts.csv." for name in sorted(set(bodies) - known)]
    if any(path.rpartition("/")[2].startswith("email_list") for path in archive.paths):
        lost.append("The list of subscribers in it is brought apart: unpack it and choose Readers, Import.")
    return oldest_first(found), tuple(lost)


def _rows(table: bytes, most: int) -> list[dict[str, str]]:
    reader = csv.DictReader(io.StringIO(table.decode("utf-8-sig", "replace"), newline=""))
    try:
        if len(reader.fieldnames or ()) > MOST_COLUMNS:
            raise UploadError(f"posts.csv has more than {MOST_COLUMNS:,} columns. Export it again.")
        return [_row(row) for row in islice(reader, most + 1)]
    except csv.Error as error:
        raise UploadError(f"posts.csv cannot be read: {error}. Export it again.") from error


def _row(row: Mapping[str | None, Any]) -> dict[str, str]:
    return {key: scrub(value).strip() for key, value in row.items() if key and isinstance(value, str)}


def _post(row: Mapping[str, str], archive: Archive, path: str | None) -> ForeignPost:
    post_id = row.get("post_id", "")
    slug = post_id.partition(".")[2] or post_id
    at = moment(row.get("post_date", ""))
    live = yes_or_no(row.get("is_published", "")) is True
    kind = row.get("type", "")
    return ForeignPost(
        origin=f"substack:{post_id[:500]}",
        title=unescape(row.get("title", "")).strip(),
        slug=slug,
        body=partial(_body, archive, path) if path else no_body,
        created_at=at,
        updated_at=at,
        published_at=at if live else None,
        undated=live and at is None,
        excerpt=unescape(row.get("subtitle", "")).strip(),
        access=_ACCESS.get(row.get("audience", "") or "everyone", "paid"),
        kind="page" if kind == "page" else "post",
        paths=(f"/p/{slug}",) if slug else (),
        losses=_losses(row, kind),
        problem=None if path else "Its text is not in the file: Substack left it out. Export again.",
    )


def _body(archive: Archive, path: str) -> Body:
    return archive.read(path, LARGEST_BODY).decode("utf-8", "replace"), ()


def _losses(row: Mapping[str, str], kind: str) -> tuple[str, ...]:
    found: list[str] = []
    if recording := row.get("podcast_url", ""):
        found.append(f"Its recording stays where it is: {recording}.")
    if kind == "thread":
        found.append("It was a thread: what readers wrote below it is not in the file.")
    if row.get("audience", "") == "founding":
        found.append("It was for founding members: here it is for paying readers.")
    return tuple(found)
