"""The API of posts and releases (contract.md)."""

from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

import msgspec
from litestar import Request, get, patch, post
from msgspec import UNSET, Struct, UnsetType

from app.accounts import ApiCaller
from app.answers import PAGED, asks, paging_of
from app.posts.drafts import create_post, draft_of
from app.posts.queries import PostRecord, post_record, post_records
from app.posts.release_queries import Release, newest_releases, release
from app.posts.releases import restore_release
from app.posts.saving import save_draft
from app.posts.slugs import fallback_slug, path_of, slug_of
from app.posts.writing import Writing

BODY = 32_000_000
"""Octets a body may have: a post that is too long is told so by its own limit."""


class NewPost(Struct, forbid_unknown_fields=True):
    """A post to make. An empty slug follows the title; an empty title is taken from the front matter.

    `access` is everyone, subscribers, paid or plan, the last with the plan's id; `kind` is post or page.
    """

    title: str = ""
    markdown: str = ""
    slug: str = ""
    excerpt: str = ""
    tags: list[str] = []
    access: str = "everyone"
    plan: UUID | None = None
    kind: str = "post"
    cover: str = ""
    cover_alt: str = ""
    seo_title: str = ""
    seo_description: str = ""


class PostChange(Struct, forbid_unknown_fields=True):
    """A save over `version`; what is left out stays as it is."""

    version: Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1)]
    title: str | UnsetType = UNSET
    markdown: str | UnsetType = UNSET
    slug: str | UnsetType = UNSET
    excerpt: str | UnsetType = UNSET
    tags: list[str] | UnsetType = UNSET
    access: str | UnsetType = UNSET
    plan: UUID | UnsetType | None = UNSET
    kind: str | UnsetType = UNSET
    cover: str | UnsetType = UNSET
    cover_alt: str | UnsetType = UNSET
    seo_title: str | UnsetType = UNSET
    seo_description: str | UnsetType = UNSET


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


class ChangeItem(Struct):
    """What a release did to a post: `published`, `updated` or `unpublished`.

    `access` is who may read it from then on, and `plan` the plan's id where that is `plan`.
    """

    post: str
    title: str
    slug: str
    action: str
    access: str
    plan: str | None


class Restoring(Struct, forbid_unknown_fields=True):
    """`opens`: also when somebody could then read a post who may not now."""

    opens: bool = False


class ReleaseItem(Struct):
    """A published version of the site; `restored_from` is the older one that it brought back."""

    number: int
    live: bool
    published_at: datetime
    url: str
    restored_from: int | None
    changes: list[ChangeItem]


class PostPage(Struct):
    """Posts, newest first, and the cursor of the next page."""

    items: list[PostItem]
    next: str | None


class ReleasePage(Struct):
    """Releases, newest first, and the cursor of the next page."""

    items: list[ReleaseItem]
    next: str | None


@get("/posts", opt=asks(*PAGED))
async def list_posts(caller: ApiCaller, request: Request) -> PostPage:
    """Every post, newest first."""
    paging = paging_of(request)
    async with caller.transaction() as tx:
        found = await post_records(tx, paging.after(datetime, UUID), paging.limit + 1)
    shown, following = paging.cut(found, lambda one: (one.created_at, one.id))
    return PostPage([_post(caller, one) for one in shown], following)


@post("/posts", status_code=201, request_max_body_size=BODY)
async def make_post(caller: ApiCaller, data: NewPost) -> PostItem:
    """Make a draft."""
    async with caller.transaction() as tx:
        made = await create_post(tx, Writing(**_named(data)), titled=True)
        return _post(caller, await post_record(tx, made.post_id))


@get("/posts/{post_id:uuid}")
async def show_post(caller: ApiCaller, post_id: UUID) -> PostItem:
    """One post with its working copy."""
    async with caller.transaction() as tx:
        return _post(caller, await post_record(tx, post_id))


@patch("/posts/{post_id:uuid}", request_max_body_size=BODY)
async def change_post(caller: ApiCaller, post_id: UUID, data: PostChange) -> PostItem:
    """Save over a version of the draft; 409 when it is no longer the newest."""
    given = _named(data)
    version = given.pop("version")
    async with caller.transaction() as tx:
        there = await draft_of(tx, post_id, lock=True)
        await save_draft(tx, post_id, version, replace(there.writing, **given), titled=True)
        return _post(caller, await post_record(tx, post_id))


@get("/releases", opt=asks(*PAGED))
async def list_releases(caller: ApiCaller, request: Request) -> ReleasePage:
    """Published versions, newest first."""
    paging = paging_of(request)
    place = paging.after(int)
    async with caller.transaction() as tx:
        found = await newest_releases(tx, place[0] if place else None, paging.limit + 1)
    shown, following = paging.cut(found, lambda one: (one.number,))
    return ReleasePage([_release(caller, one) for one in shown], following)


@get("/releases/{number:int}")
async def show_release(caller: ApiCaller, number: int) -> ReleaseItem:
    """One published version."""
    async with caller.transaction() as tx:
        return _release(caller, await release(tx, number))


@post("/releases/{number:int}/restore", status_code=201)
async def restore(caller: ApiCaller, number: int, data: Restoring | None = None) -> ReleaseItem:
    """The site as it was at this version, as a new one; 409 when nothing would change.

    Also 409, naming the posts, when somebody could then read a post who may not now, unless `opens` is true.
    """
    opening = data is not None and data.opens
    async with caller.transaction() as tx:
        made = await restore_release(tx, number, None, f"API key {caller.key_name}", opening=opening)
        return _release(caller, made)


def _named(data: Struct) -> dict[str, Any]:
    """What was given, by the names that a Writing has."""
    given = {name: value for name, value in msgspec.structs.asdict(data).items() if value is not UNSET}
    if "tags" in given:
        given["tags"] = tuple(given["tags"])
    if "plan" in given:
        given["plan_id"] = given.pop("plan")
    return given


def _post(caller: ApiCaller, record: PostRecord) -> PostItem:
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
        url=caller.account.site_url + path_of(slug) if record.live else None,
        created_at=record.created_at,
        updated_at=record.updated_at,
        published_at=record.published_at,
    )


def _release(caller: ApiCaller, one: Release) -> ReleaseItem:
    changes = [
        ChangeItem(
            post=str(each.post_id),
            title=each.title,
            slug=each.slug,
            action=each.action,
            access=each.access.kind,
            plan=str(each.access.plan_id) if each.access.plan_id else None,
        )
        for each in one.changes
    ]
    url = caller.account.site_url + "/"
    return ReleaseItem(one.number, one.live, one.published_at, url, one.restored_from, changes)


HANDLERS: tuple = (list_posts, make_post, show_post, change_post, list_releases, show_release, restore)
