"""Exports of posts as Ghost and Substack write them, made small."""

import io
import json
import zipfile
from io import BytesIO
from typing import Any

from PIL import Image


def picture() -> bytes:
    out = BytesIO()
    Image.new("RGB", (8, 6), (168, 67, 31)).save(out, "PNG")
    return out.getvalue()


def zipped(files: dict[str, bytes | str]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return file.getvalue()


def ghost_post(number: int, **more: Any) -> dict[str, Any]:
    return {
        "id": f"p{number}",
        "uuid": f"uuid-{number}",
        "title": f"Post {number}",
        "slug": f"post-{number}",
        "html": f"<p>Words of <strong>post {number}</strong>.</p>",
        "lexical": None,
        "mobiledoc": None,
        "feature_image": None,
        "type": "post",
        "status": "published",
        "visibility": "public",
        "created_at": "2021-03-01T10:00:00.000Z",
        "updated_at": "2021-03-02T10:00:00.000Z",
        "published_at": f"2021-03-{number:02}T10:00:00.000Z",
        "custom_excerpt": None,
    } | more


def ghost(*posts: dict[str, Any], wrapped: bool = True, **tables: list[dict[str, Any]]) -> bytes:
    data = {"posts": list(posts), "posts_meta": [], "tags": [], "posts_tags": [], "users": [], **tables}
    told = {"meta": {"version": "6.0"}, "data": data}
    return json.dumps({"db": [told]} if wrapped else told).encode()


SUBSTACK_HEADER = "post_id,post_date,is_published,email_sent_at,type,audience,title,subtitle,podcast_url\n"


def substack(rows: list[str], bodies: dict[str, str], **more: bytes) -> bytes:
    files: dict[str, bytes | str] = {"posts.csv": SUBSTACK_HEADER + "".join(f"{row}\n" for row in rows)}
    files |= {f"posts/{name}.html": body for name, body in bodies.items()}
    return zipped(files | more)
