"""The studio's pages of posts and of published versions."""

import asyncio
from datetime import datetime
from uuid import UUID

from litestar import Request, Response, get

from app.accounts import Desk
from app.answers import Cursor, fragment, page
from app.base import ids
from app.base.errors import NotFound
from app.posts.comparing import comparison
from app.posts.drafts import draft_of
from app.posts.editing import Editing, previewed
from app.posts.media import media_file
from app.posts.queries import SCHEDULED, PostsWanted, post_counts, post_line, post_lines
from app.posts.revisions import earlier
from app.posts.slugs import path_of
from app.posts.states import PostState
from app.posts.surroundings import other_at, revision_lines, surroundings
from app.posts.writing import Writing

ON_PAGE = 50


@get("/posts")
async def posts(request: Request, desk: Desk, q: str = "", before: str = "") -> Response[str]:
    """Every post, newest first, by words and state."""
    state = request.query_params.get("state", "")  # the framework keeps that name for itself
    at = Cursor.decode(before, datetime, UUID) if before else None
    search = q.replace("\0", "")[:200]
    wanted = PostsWanted(search, state if state in (*PostState, SCHEDULED) else "", at)
    async with desk.transaction() as tx:
        lines = await post_lines(tx, wanted, ON_PAGE + 1)
        counts = await post_counts(tx)
    last = lines[ON_PAGE - 1] if len(lines) > ON_PAGE else None
    return page(
        "posts/list.html",
        shell=desk.shell("posts"),
        lines=lines[:ON_PAGE],
        counts=counts,
        wanted=wanted,
        older=Cursor.encode(last.created_at, last.id) if last else "",
    )


@get("/posts/new")
async def new_post(desk: Desk) -> Response[str]:
    """An empty desk. The post is made by its first save, under the id that the page brings."""
    post_id = ids.new()
    async with desk.transaction() as tx:
        around = await surroundings(tx, post_id, desk.creator.id, None)
    editing = Editing(post_id, 0, Writing(), around)
    return page("posts/edit.html", shell=desk.shell("posts"), editing=editing)


@get("/posts/{post_id:uuid}")
async def edit(desk: Desk, post_id: UUID) -> Response[str]:
    """One post on the desk."""
    async with desk.transaction() as tx:
        draft = await draft_of(tx, post_id)
        line = await post_line(tx, post_id)
        around = await surroundings(tx, post_id, desk.creator.id, draft)
    live_url = desk.account.site_url + path_of(draft.live_slug) if draft.live_slug else ""
    editing = Editing(
        post_id,
        draft.version,
        draft.writing,
        around,
        line.state,
        draft,
        live_url,
        preview=await asyncio.to_thread(previewed, draft.writing),
    )
    return page("posts/edit.html", shell=desk.shell("posts"), editing=editing)


@get("/posts/{post_id:uuid}/others")
async def others(desk: Desk, post_id: UUID, version: int = 0) -> Response[str]:
    """Who else is at this post just now, for a desk that started from `version`."""
    async with desk.transaction() as tx:
        draft = await draft_of(tx, post_id)
    other = other_at(draft, desk.creator.id, max(0, version))
    return fragment("posts/_others.html", other=other, here=desk.url(f"posts/{post_id}"))


@get("/posts/{post_id:uuid}/frame")
async def mail_frame(desk: Desk, post_id: UUID, reader: str = "") -> Response[str]:
    """The frame with the email, as another reader gets it."""
    async with desk.transaction() as tx:
        draft = await draft_of(tx, post_id)
    return fragment("posts/_mail.html", draft=draft, reader=reader, base=desk.url())


@get("/posts/{post_id:uuid}/versions")
async def versions(desk: Desk, post_id: UUID, before: int | None = None) -> Response[str]:
    """Earlier versions of a post, newest first."""
    below = None if before is None else max(0, min(before, 2**31 - 1))
    async with desk.transaction() as tx:
        draft = await draft_of(tx, post_id)
        lines = await revision_lines(tx, post_id, below, ON_PAGE + 1)
    older = lines[ON_PAGE - 1].number if len(lines) > ON_PAGE else None
    return page(
        "posts/versions.html", shell=desk.shell("posts"), draft=draft, lines=lines[:ON_PAGE], older=older
    )


@get("/posts/{post_id:uuid}/versions/{number:int}")
async def version(desk: Desk, post_id: UUID, number: int) -> Response[str]:
    """What changed from an earlier version to what stands on the desk, and the way back to it."""
    async with desk.transaction() as tx:
        draft = await draft_of(tx, post_id)
        then = await earlier(tx, post_id, number)
    compared = await asyncio.to_thread(comparison, then, draft)
    return page("posts/version.html", shell=desk.shell("posts"), draft=draft, then=then, compared=compared)


@get("/posts/{post_id:uuid}/delete")
async def deleting(desk: Desk, post_id: UUID) -> Response[str]:
    """What goes with a post, before it is deleted."""
    async with desk.transaction() as tx:
        draft = await draft_of(tx, post_id)
    return page("posts/delete.html", shell=desk.shell("posts"), draft=draft)


@get("/media/{name:str}", include_in_schema=False)
async def picture(request: Request, name: str) -> Response[bytes]:
    """A picture, for the studio and every site: for ever, since its name is the hash of what is in it."""
    etag = f'"{name[:64]}"'
    headers = {"Cache-Control": "public, max-age=31536000, immutable", "ETag": etag}
    if request.headers.get("if-none-match") == etag and await media_file(name):
        return Response(b"", status_code=304, headers=headers, media_type="image/*")
    found = await media_file(name)
    if found is None:
        raise NotFound("There is no such picture.")
    return Response(found.data, media_type=found.kind, headers=headers)


#: On every host.
MEDIA_HANDLERS: tuple = (picture,)
HANDLERS: tuple = (posts, new_post, edit, others, mail_frame, versions, version, deleting)
