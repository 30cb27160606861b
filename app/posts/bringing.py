"""Posts that come from elsewhere: with their own dates, and live all at once, by one release.

A worker does this, which may read no draft and no earlier version: everything is written as it was handed in,
under ids that say which post of which product it is, so that the same file again finds them there.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID, uuid5

from app.base.database import Tx
from app.base.statements import sql
from app.posts import markdown
from app.posts.redirects import add_redirect
from app.posts.revisions import free_slug
from app.posts.slugs import MAX_SLUG, fallback_slug, slug_of
from app.posts.writing import MAX_EXCERPT, MAX_TAG, MAX_TAGS, MAX_TITLE, Writing, tidy

_NAMESPACE = UUID("5b1b7a0c-6b0a-5f0e-9a56-0d8a54a0c6c1")
LIMITS = {"title": MAX_TITLE, "excerpt": MAX_EXCERPT, "tags": MAX_TAGS, "tag": MAX_TAG, "slug": MAX_SLUG}
"""What `tidy` would refuse: whoever brings a post cuts it before, and says so."""
_MAKE = """
insert into post (account_id, id, created_at, published_at) values (:account, :id, :created_at, :published_at)
on conflict do nothing
"""


@dataclass(frozen=True)
class BroughtPost:
    """A post as another product had it.

    `origin` names it there for good. `published_at` None: a draft. `paths` are where it stood.
    """

    origin: str
    writing: Writing
    created_at: datetime
    updated_at: datetime
    published_at: datetime | None = None
    paths: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReadyPost:
    """A post that is tidy and rendered: what is left is to write it."""

    post: BroughtPost
    writing: Writing
    html: str
    preview_html: str
    excerpt: str
    minutes: int

    @property
    def can_be_read(self) -> bool:
        """Whether there is anything to read in it: what has nothing cannot be published."""
        return bool(self.html.strip())


def brought_id(account_id: int, origin: str) -> UUID:
    """The id that this post of another product has in this account."""
    return uuid5(_NAMESPACE, f"{account_id}:{origin}")


def ready_post(post: BroughtPost) -> ReadyPost:
    """Make it tidy and render it; to be called in a thread, it may take a second. Raises as `tidy` does."""
    wanted = tidy(post.writing)
    return ReadyPost(
        post,
        wanted,
        markdown.to_html(wanted.markdown, fields=False),
        markdown.to_html(wanted.markdown, fields=False, only_free=True),
        wanted.excerpt or _excerpt(wanted),
        markdown.minutes(wanted.markdown),
    )


async def bring_post(tx: Tx, ready: ReadyPost) -> bool:
    """Write it, not yet live; False when it was brought before, and then nothing is changed."""
    assert tx.account_id is not None
    post, wanted = ready.post, ready.writing
    post_id = brought_id(tx.account_id, post.origin)
    made = await tx.execute(
        _MAKE,
        account=tx.account_id,
        id=post_id,
        created_at=post.created_at,
        published_at=post.published_at,
    )
    if not made:
        return False
    saved_at = max(post.published_at, post.updated_at) if post.published_at else post.updated_at
    whose = {"account": tx.account_id, "post": post_id}
    await tx.execute(sql(__package__, "bring_draft"), **whose, **wanted.columns(), saved_at=saved_at)
    if post.published_at:
        frozen = {
            "slug": wanted_slug(post_id, wanted),
            "title": wanted.title or "Untitled",
            "excerpt": ready.excerpt,
        }
        await tx.execute(
            sql(__package__, "bring_revision"),
            **whose,
            **wanted.columns() | frozen,
            id=_revision_id(post_id),
            html=ready.html,
            preview_html=ready.preview_html,
            minutes=ready.minutes,
            saved_at=saved_at,
        )
    return True


async def release_brought(tx: Tx, posts: Sequence[BroughtPost], by_name: str) -> dict[str, str]:
    """Make these live by one release, those that are not yet; answers where each stands, by its origin."""
    assert tx.account_id is not None
    ids = {post.origin: brought_id(tx.account_id, post.origin) for post in posts if post.published_at}
    rows = await tx.rows(
        "select id from post where id = any (cast(:ids as uuid[])) and live_revision_id is null"
        " and published_at is not null",
        ids=list(ids.values()),
    )
    coming = {row.id for row in rows}
    if not coming:
        return {}
    number = await tx.value(sql(__package__, "next_number"), account=tx.account_id)
    slugs: dict[str, str] = {}
    for post in posts:
        if ids.get(post.origin) in coming:
            slugs[post.origin] = await _go_live(tx, ids[post.origin], post)
    changes = [
        {
            "post_id": ids[origin],
            "revision_id": _revision_id(ids[origin]),
            "slug": slug,
            "action": "published",
        }
        for origin, slug in slugs.items()
    ]
    await tx.value(
        sql(__package__, "release"),
        account=tx.account_id,
        number=number,
        by=None,
        by_name=by_name,
        restored_from=None,
        changes=changes,
        left=[],
        taken=[],
    )
    return slugs


def wanted_slug(post_id: UUID, writing: Writing) -> str:
    """The slug that a post asks for."""
    return writing.slug or slug_of(writing.title) or fallback_slug(post_id)


async def _go_live(tx: Tx, post_id: UUID, post: BroughtPost) -> str:
    slug = await free_slug(tx, post_id, wanted_slug(post_id, tidy(post.writing)))
    await tx.execute(
        "update post set slug = :slug, live_revision_id = :revision where id = :id",
        slug=slug,
        revision=_revision_id(post_id),
        id=post_id,
    )
    for path in post.paths:
        if path != f"/{slug}":
            await add_redirect(tx, path, post_id)
    return slug


def _revision_id(post_id: UUID) -> UUID:
    return uuid5(post_id, "revision")


def _excerpt(writing: Writing) -> str:
    return markdown.excerpt(writing.markdown, only_free=writing.access != "everyone")
