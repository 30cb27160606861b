"""Posts as files: the draft and each earlier version as Markdown with front matter, the HTML beside it."""

from collections.abc import AsyncGenerator, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec
import yaml

from app.base import ids
from app.base.database import Tx
from app.posts import sanitised

TEXT = ("title", "slug", "excerpt", "tags", "access", "plan", "kind", "cover", "cover_alt", "seo_title")
FRONT = (*TEXT, "seo_description")
_COLUMNS = """d.title, d.slug, d.excerpt, d.tags, d.access, p.slug as plan, d.kind, d.cover, d.cover_alt,
    d.seo_title, d.seo_description, d.markdown"""
_POSTS = """
select n.number, n.id, n.slug as live_slug, n.published_at, n.created_at, v.number as live_revision
from (select *, row_number() over (order by created_at, id) as number from post) n
left join revision v on v.account_id = n.account_id and v.id = n.live_revision_id
order by n.number
"""
_DRAFT = f"""
select {_COLUMNS}, d.version, d.updated_at
from draft d left join plan p on p.account_id = d.account_id and p.id = d.plan_id where d.post_id = :post
"""
_REVISIONS = f"""
select {_COLUMNS}, d.number, d.created_at, d.minutes, d.kept_for, d.html, d.preview_html
from revision d left join plan p on p.account_id = d.account_id and p.id = d.plan_id
where d.post_id = :post order by d.number
"""
_MAKE_POST = """
insert into post (account_id, id, created_at, published_at) values (:account, :id, :created_at, :published_at)
"""
_MAKE_DRAFT = """
insert into draft (account_id, post_id, title, slug, excerpt, tags, access, plan_id, kind, cover, cover_alt,
    seo_title, seo_description, markdown, version, updated_at)
values (:account, :post, :title, :slug, :excerpt, cast(:tags as text[]), :access,
    (select id from plan where slug = :plan), :kind, :cover, :cover_alt, :seo_title, :seo_description,
    :markdown,
    :version, :updated_at)
"""
_MAKE_REVISION = """
insert into revision (account_id, id, post_id, number, title, slug, excerpt, tags, access, plan_id, kind,
    cover, cover_alt, seo_title, seo_description, markdown, created_at, minutes, kept_for, html, preview_html)
values (:account, :id, :post, :number, :title, :slug, :excerpt, cast(:tags as text[]), :access,
    (select id from plan where slug = :plan), :kind, :cover, :cover_alt, :seo_title, :seo_description,
    :markdown,
    :created_at, :minutes, :kept_for, :html, :preview_html)
"""
_GO_LIVE = """
update post set slug = :slug,
    live_revision_id = (select id from revision where post_id = :post and number = :revision)
where id = :post
"""


@dataclass(frozen=True)
class PostFiles:
    """One post: its folder's name and its files."""

    folder: str
    files: dict[str, bytes]


async def files_of(tx: Tx) -> AsyncGenerator[PostFiles]:
    """Every post, in the order in which they were made, one at a time."""
    for row in await tx.rows(_POSTS):
        yield await _files(tx, row)


async def restore_posts(tx: Tx, posts: Iterable[dict[str, bytes]]) -> int:
    """Bring posts back, each a dict of its files, in their order; answers how many."""
    told = list(posts)
    # Sorted, so that posts made at the same instant keep their order.
    for post_id, files in zip(sorted(ids.new() for _ in told), told, strict=True):
        await _restore(tx, post_id, files)
    return len(told)


def with_front_matter(front: dict[str, Any], markdown: str) -> bytes:
    """A Markdown file: what is known of it in YAML, then the text exactly as it is."""
    head = yaml.safe_dump(front, allow_unicode=True, sort_keys=False, width=110)
    return f"---\n{head}---\n{markdown}".encode()


def without_front_matter(file: bytes) -> tuple[dict[str, Any], str]:
    """The two parts of such a file. Raises ValueError when it is none."""
    _, head, markdown = file.decode().split("---\n", 2)
    front = yaml.safe_load(head)
    if not isinstance(front, dict):
        raise ValueError("no front matter")
    return front, markdown


async def _files(tx: Tx, post: Any) -> PostFiles:
    draft = await tx.row(_DRAFT, post=post.id)
    assert draft is not None
    known = {
        "created_at": _time(post.created_at),
        "published_at": _time(post.published_at),
        "live_revision": post.live_revision,
        "live_slug": post.live_slug,
        "draft_version": draft.version,
        "draft_updated_at": _time(draft.updated_at),
    }
    files = {
        "post.json": msgspec.json.format(msgspec.json.encode(known)),
        "post.md": with_front_matter(_front(draft), draft.markdown),
    }
    for one in await tx.rows(_REVISIONS, post=post.id):
        more = {"minutes": one.minutes, "kept_for": one.kept_for, "created_at": _time(one.created_at)}
        files[f"{one.number}.md"] = with_front_matter(_front(one) | more, one.markdown)
        files[f"{one.number}.html"] = one.html.encode()
        if one.preview_html:
            files[f"{one.number}.preview.html"] = one.preview_html.encode()
    # Folder names are for people: letters of any script, but none that a file system minds.
    name = "".join(
        letter for letter in (post.live_slug or draft.slug or "draft")[:60] if letter not in '\\/:*?"<>|'
    )
    return PostFiles(f"{post.number:04}-{name}", files)


def _front(row: Any) -> dict[str, Any]:
    front = {name: getattr(row, name) for name in FRONT}
    return front | {"tags": list(row.tags)}


def _time(at: datetime | None) -> str | None:
    return at.isoformat().replace("+00:00", "Z") if at else None


def _at(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text.replace("Z", "+00:00")) if text else None


async def _restore(tx: Tx, post_id: UUID, files: dict[str, bytes]) -> None:
    known = msgspec.json.decode(files["post.json"])
    whose = {"account": tx.account_id, "post": post_id}
    await tx.execute(
        _MAKE_POST,
        account=tx.account_id,
        id=post_id,
        created_at=_at(known["created_at"]),
        published_at=_at(known["published_at"]),
    )
    front, markdown = without_front_matter(files["post.md"])
    saved = {"version": known["draft_version"], "updated_at": _at(known["draft_updated_at"])}
    await tx.execute(_MAKE_DRAFT, **whose, **_columns(front), markdown=markdown, **saved)
    numbers = sorted(int(name[:-3]) for name in files if name.endswith(".md") and name[:-3].isdigit())
    for number in numbers:
        front, markdown = without_front_matter(files[f"{number}.md"])
        await tx.execute(
            _MAKE_REVISION,
            **whose,
            **_columns(front),
            id=ids.new(),
            number=number,
            markdown=markdown,
            created_at=_at(front["created_at"]),
            minutes=front["minutes"],
            kept_for=front["kept_for"],
            html=sanitised(files[f"{number}.html"].decode()),
            preview_html=sanitised(files.get(f"{number}.preview.html", b"").decode()),
        )
    if known["live_revision"]:
        await tx.execute(_GO_LIVE, post=post_id, slug=known["live_slug"], revision=known["live_revision"])


def _columns(front: dict[str, Any]) -> dict[str, Any]:
    return {name: front[name] for name in FRONT}
