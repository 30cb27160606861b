"""Substack's export: a zip with posts.csv and posts/<post_id>.html, where post_id is `<digits>.<slug>`.

A row may have no HTML (Substack leaves recent ones out) and the other way about. `audience` is everyone,
only_free, only_paid or founding; `type` newsletter, podcast, thread or page. A post stood at /p/<slug>.
"""

import csv
import io
from collections.abc import Mapping
from datetime import UTC, datetime
from html import unescape

from app.imports.formats.cells import moment, yes_or_no
from app.imports.posts.foreign import ForeignPost

name = "substack-posts"
title = "Substack export"
_ACCESS = {"everyone": "everyone", "only_free": "subscribers", "only_paid": "paid", "founding": "paid"}


def posts_of(files: Mapping[str, bytes]) -> tuple[tuple[ForeignPost, ...], tuple[str, ...]]:
    """Every post, oldest first, and what of the file as a whole is lost."""
    table = next(content for path, content in files.items() if path.rpartition("/")[2] == "posts.csv")
    bodies = {
        path.rpartition("/")[2].removesuffix(".html"): content.decode("utf-8", "replace")
        for path, content in files.items()
        if path.endswith(".html")
    }
    rows = list(csv.DictReader(io.StringIO(table.decode("utf-8-sig", "replace"), newline="")))
    found = [_post({key or "": value or "" for key, value in row.items()}, bodies) for row in rows]
    known = {row.get("post_id") for row in rows}
    lost = [f"posts/{name}.html belongs to no row of posts.csv." for name in sorted(set(bodies) - known)]
    if any(path.rpartition("/")[2].startswith("email_list") for path in files):
        lost.append("The list of subscribers in it is brought apart: unpack it and choose Readers, Import.")
    return tuple(sorted(found, key=lambda one: (one.published_at or one.created_at, one.origin))), tuple(lost)


def _post(row: Mapping[str, str], bodies: Mapping[str, str]) -> ForeignPost:
    post_id = row.get("post_id", "").strip()
    slug = post_id.partition(".")[2] or post_id
    at = moment(row.get("post_date", "")) or datetime(1970, 1, 1, tzinfo=UTC)
    live = yes_or_no(row.get("is_published", "")) is True
    html = bodies.get(post_id)
    kind = row.get("type", "").strip()
    return ForeignPost(
        origin=f"substack:{post_id}",
        title=unescape(row.get("title", "")).strip(),
        slug=slug,
        html=html or "",
        created_at=at,
        updated_at=at,
        published_at=at if live else None,
        excerpt=unescape(row.get("subtitle", "")).strip(),
        access=_ACCESS.get(row.get("audience", "").strip() or "everyone", "paid"),
        kind="page" if kind == "page" else "post",
        paths=(f"/p/{slug}",) if slug else (),
        losses=_losses(row, kind),
        problem=None
        if html is not None
        else "Its text is not in the file: Substack left it out. Export again.",
    )


def _losses(row: Mapping[str, str], kind: str) -> tuple[str, ...]:
    found: list[str] = []
    if row.get("podcast_url", "").strip():
        found.append(f"Its recording stays where it is: {row['podcast_url'].strip()}.")
    if kind == "thread":
        found.append("It was a thread: what readers wrote below it is not in the file.")
    if row.get("audience", "").strip() == "founding":
        found.append("It was for founding members: here it is for everybody who pays.")
    return tuple(found)
