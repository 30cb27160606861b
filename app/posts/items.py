"""What the API says of a post, and so does an event."""

from datetime import datetime

from msgspec import Struct

from app.posts.drafts import Draft
from app.posts.queries import PostRecord
from app.posts.release_queries import Release
from app.posts.slugs import fallback_slug, path_of, slug_of
from app.posts.states import PostState


class PostItem(Struct):
    """A post. `slug` is the live one, or the one it will ask for; `url` null while it is a draft."""

    id: str
    title: str
    slug: str
    markdown: str
    excerpt: str
    tags: list[str]
    access: str
    plan: str | None
    kind: str
    cover: str
    cover_alt: str
    seo_title: str
    seo_description: str
    state: str
    version: int
    url: str | None
    created_at: datetime
    updated_at: datetime
    published_at: datetime | None


class PostPage(Struct):
    """Posts, newest first, and the cursor of the next page."""

    items: list[PostItem]
    next: str | None


def post_item(record: PostRecord, site_url: str) -> PostItem:
    """The representation of a post of the account whose site is at `site_url`."""
    slug = record.slug or slug_of(record.title) or fallback_slug(record.id)
    return PostItem(
        id=str(record.id),
        title=record.title,
        slug=slug,
        markdown=record.markdown,
        excerpt=record.excerpt,
        tags=list(record.tags),
        access=record.access,
        plan=str(record.plan_id) if record.plan_id else None,
        kind=record.kind,
        cover=record.cover,
        cover_alt=record.cover_alt,
        seo_title=record.seo_title,
        seo_description=record.seo_description,
        state=record.state.value,
        version=record.version,
        url=site_url + path_of(slug) if record.live else None,
        created_at=record.created_at,
        updated_at=record.updated_at,
        published_at=record.published_at,
    )


class TouchedPost(Struct):
    """What a release did to a post, as `release.published` tells it: published, updated or unpublished."""

    post: str
    slug: str
    action: str


class PublishedRelease(Struct):
    """What `release.published` tells: the release's number, the site's address, the posts."""

    release: int
    url: str
    changes: list[TouchedPost]


def published_release(one: Release, site_url: str) -> PublishedRelease:
    """What is announced of a release of the account whose site is at `site_url`."""
    touched = [TouchedPost(str(each.post_id), each.slug, each.action) for each in one.changes]
    return PublishedRelease(one.number, f"{site_url}/", touched)


def record_of(draft: Draft) -> PostRecord:
    """The post whose draft was made or saved just now, as `post_record` would answer it."""
    told = draft.writing
    state = PostState.DRAFT
    if draft.live_since is not None:
        state = PostState.CHANGED if draft.saved_at > draft.live_since else PostState.PUBLISHED
    assert draft.made_at is not None
    return PostRecord(
        id=draft.post_id,
        title=told.title,
        slug=draft.live_slug or told.slug,
        markdown=told.markdown,
        excerpt=told.excerpt,
        tags=told.tags,
        access=told.access,
        plan_id=told.plan_id,
        kind=told.kind,
        cover=told.cover,
        cover_alt=told.cover_alt,
        seo_title=told.seo_title,
        seo_description=told.seo_description,
        state=state,
        version=draft.version,
        live=draft.live_slug is not None,
        created_at=draft.made_at,
        updated_at=draft.saved_at,
        published_at=draft.published_at,
    )
