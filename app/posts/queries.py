"""What is asked about posts. Lists go by keyset: a row added meanwhile moves nobody."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from app.base.database import Tx
from app.base.errors import NotFound
from app.base.statements import sql
from app.posts.states import PostState


@dataclass(frozen=True)
class PostLine:
    """A post in the studio's list. `saved_by` is a name, '' for the API.

    `scheduled_at`: what of it waits for its time goes out then; None when nothing waits.
    """

    id: UUID
    title: str
    state: PostState
    slug: str | None
    saved_at: datetime
    saved_by: str
    created_at: datetime
    published_at: datetime | None
    scheduled_id: UUID | None = None
    scheduled_at: datetime | None = None


@dataclass(frozen=True)
class PostRecord:
    """A post as the API tells it: the working copy, and what became of it. `slug` is the live one or ''."""

    id: UUID
    title: str
    slug: str
    markdown: str
    excerpt: str
    tags: tuple[str, ...]
    access: str
    plan_id: UUID | None
    kind: str
    cover: str
    cover_alt: str
    seo_title: str
    seo_description: str
    state: PostState
    version: int
    live: bool
    created_at: datetime
    updated_at: datetime
    published_at: datetime | None


@dataclass(frozen=True)
class PostCounts:
    """All posts of the account, by state."""

    draft: int
    published: int
    changed: int

    @property
    def total(self) -> int:
        return self.draft + self.published + self.changed


#: Beside its state: something of the post waits for its time.
SCHEDULED = "scheduled"


@dataclass(frozen=True)
class PostsWanted:
    """Which posts of the list: words in the title, a state or SCHEDULED, and where the last page ended."""

    search: str = ""
    state: str = ""
    older_than: tuple[datetime, UUID] | None = None


@dataclass(frozen=True)
class LivePost:
    """A post as the site shows it. `updated_at` is None when it is as first published.

    `html` is for who may read it (`access`, `plan_id`); anybody else gets `preview_html`, '' when
    nothing of it stands above a paywall marker.
    """

    id: UUID
    title: str
    slug: str
    kind: str
    html: str
    preview_html: str
    excerpt: str
    tags: tuple[str, ...]
    access: str
    plan_id: UUID | None
    cover: str
    cover_alt: str
    seo_title: str
    seo_description: str
    minutes: int
    published_at: datetime
    updated_at: datetime | None


_PUBLISHED = "select * from published_posts(cast(:revisions as uuid[]))"


async def post_lines(tx: Tx, wanted: PostsWanted, limit: int) -> list[PostLine]:
    """Posts newest first; `limit` rows at most, the next page follows the last one's (created_at, id)."""
    at, after = wanted.older_than or (None, None)
    rows = await tx.rows(
        sql(__package__, "post_lines"),
        account=tx.account_id,
        search=wanted.search.strip().lower(),
        state=wanted.state,
        at=at,
        after=after,
        most=limit,
    )
    return [PostLine(**{**row._mapping, "state": PostState(row.state)}) for row in rows]


async def post_line(tx: Tx, post_id: UUID) -> PostLine:
    """One post as the list has it. Raises NotFound."""
    row = await tx.row(sql(__package__, "post_line"), account=tx.account_id, post=post_id)
    if row is None:
        raise NotFound("There is no such post.")
    return PostLine(**{**row._mapping, "state": PostState(row.state)})


async def post_records(
    tx: Tx, older_than: tuple[datetime, UUID] | None = None, limit: int = 50
) -> list[PostRecord]:
    """Posts newest first, each with its whole text."""
    at, after = older_than or (None, None)
    rows = await tx.rows(
        sql(__package__, "post_records"), account=tx.account_id, post=None, at=at, after=after, most=limit
    )
    return [_record(row) for row in rows]


async def post_record(tx: Tx, post_id: UUID) -> PostRecord:
    """One post. Raises NotFound."""
    row = await tx.row(
        sql(__package__, "post_records"), account=tx.account_id, post=post_id, at=None, after=None, most=1
    )
    if row is None:
        raise NotFound("There is no such post.")
    return _record(row)


async def published_records(tx: Tx, revision_ids: Sequence[UUID]) -> dict[UUID, PostRecord]:
    """Posts with the text of these revisions of theirs, by post: what may be told outside, whoever asks.

    Where the draft is still what was frozen it is the post as the API tells it, word for word.
    """
    rows = await tx.rows(_PUBLISHED, revisions=list(revision_ids))
    return {row.id: _record(row) for row in rows}


async def post_counts(tx: Tx) -> PostCounts:
    """True totals, from one statement."""
    row = await tx.row(sql(__package__, "post_counts"), account=tx.account_id)
    assert row is not None
    return PostCounts(*row)


async def live_posts(
    tx: Tx,
    older_than: tuple[datetime, UUID] | None = None,
    limit: int = 20,
    *,
    bodies: bool = False,
    kind: str = "post",
) -> list[LivePost]:
    """What the site shows of a kind, newest publication first. Without `bodies` both html are ''."""
    at, after = older_than or (None, None)
    rows = await tx.rows(
        sql(__package__, "live_posts"),
        account=tx.account_id,
        at=at,
        after=after,
        most=limit,
        bodies=bodies,
        kind=kind,
    )
    return [_live(row) for row in rows]


async def live_post(tx: Tx, slug: str) -> LivePost:
    """The published post at an address of the site. Raises NotFound."""
    # An address may hold what no text in the database can.
    row = await tx.row(sql(__package__, "live_post"), account=tx.account_id, slug=slug.replace("\0", "?"))
    if row is None:
        raise NotFound("There is nothing at this address.")
    return _live(row)


def _record(row: Any) -> PostRecord:
    return PostRecord(**{**row._mapping, "tags": tuple(row.tags), "state": PostState(row.state)})


def _live(row: Any) -> LivePost:
    return LivePost(**{**row._mapping, "tags": tuple(row.tags)})
