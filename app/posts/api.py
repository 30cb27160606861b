"""The API of posts (contract.md)."""

from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

import msgspec
from litestar import Request, delete, get, patch, post
from msgspec import UNSET, Struct, UnsetType

from app.accounts import ApiCaller
from app.answers import PAGED, asks, paging_of
from app.posts.deleting import delete_post
from app.posts.drafts import create_post, draft_of
from app.posts.items import PostItem, PostPage, post_item, record_of
from app.posts.queries import post_record, post_records
from app.posts.saving import save_draft
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


@get("/posts", opt=asks(*PAGED))
async def list_posts(caller: ApiCaller, request: Request) -> PostPage:
    """Every post, newest first."""
    paging = paging_of(request)
    async with caller.transaction() as tx:
        found = await post_records(tx, paging.after(datetime, UUID), paging.limit + 1)
    shown, following = paging.cut(found, lambda one: (one.created_at, one.id))
    return PostPage([post_item(one, caller.account.site_url) for one in shown], following)


@post("/posts", status_code=201, request_max_body_size=BODY)
async def make_post(caller: ApiCaller, data: NewPost) -> PostItem:
    """Make a draft."""
    async with caller.transaction() as tx:
        made = await create_post(tx, Writing(**_named(data)), titled=True)
    return post_item(record_of(made), caller.account.site_url)


@get("/posts/{post_id:uuid}")
async def show_post(caller: ApiCaller, post_id: UUID) -> PostItem:
    """One post with its working copy."""
    async with caller.transaction() as tx:
        return post_item(await post_record(tx, post_id), caller.account.site_url)


@patch("/posts/{post_id:uuid}", request_max_body_size=BODY)
async def change_post(caller: ApiCaller, post_id: UUID, data: PostChange) -> PostItem:
    """Save over a version of the draft; 409 when it is no longer the newest."""
    given = _named(data)
    version = given.pop("version")
    async with caller.transaction() as tx:
        there = await draft_of(tx, post_id, lock=True)
        wanted = replace(there.writing, **given)
        saved = await save_draft(tx, post_id, version, wanted, titled=True, there=there)
    return post_item(record_of(saved), caller.account.site_url)


@delete("/posts/{post_id:uuid}", status_code=204)
async def remove_post(caller: ApiCaller, post_id: UUID) -> None:
    """Delete a post that never went out, with its earlier versions; 409 for one that did."""
    async with caller.transaction() as tx:
        await delete_post(tx, post_id)


def _named(data: Struct) -> dict[str, Any]:
    """What was given, by the names that a Writing has."""
    given = {name: value for name, value in msgspec.structs.asdict(data).items() if value is not UNSET}
    if "tags" in given:
        given["tags"] = tuple(given["tags"])
    if "plan" in given:
        given["plan_id"] = given.pop("plan")
    return given


HANDLERS: tuple = (list_posts, make_post, show_post, change_post, remove_post)
