"""What a site asks beside a post and the newest posts: pages, tags, years, addresses. Live ones only."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from app.base.database import Tx
from app.base.statements import sql
from app.posts.queries import LivePost

MOST_PAGES = 20
_SLUG = "select slug from post where account_id = :account and id = :post and live_revision_id is not null"


@dataclass(frozen=True)
class SitePage:
    """A page in a site's navigation."""

    title: str
    slug: str


@dataclass(frozen=True)
class LiveTitle:
    """A post in the archive."""

    id: UUID
    title: str
    slug: str
    access: str
    plan_id: UUID | None
    published_at: datetime


@dataclass(frozen=True)
class Tally:
    """How many live posts fall under a tag, or in a year."""

    name: str
    posts: int


@dataclass(frozen=True)
class Address:
    """A live address and when what stands there last changed."""

    slug: str
    changed_at: datetime


@dataclass(frozen=True)
class Span:
    """From one instant until before another; None leaves an end open."""

    since: datetime | None = None
    until: datetime | None = None


async def site_pages(tx: Tx) -> tuple[SitePage, ...]:
    """The pages, the first published first; MOST_PAGES at most."""
    rows = await tx.rows(sql(__package__, "live_pages"), account=tx.account_id, most=MOST_PAGES)
    return tuple(SitePage(row.title, row.slug) for row in rows)


async def live_slug(tx: Tx, post_id: UUID) -> str | None:
    """Where a post stands on the site; None when it is not live."""
    return await tx.value(_SLUG, account=tx.account_id, post=post_id)


async def live_tags(tx: Tx) -> tuple[Tally, ...]:
    """Every tag, the most used first."""
    rows = await tx.rows(sql(__package__, "live_tags"), account=tx.account_id)
    return tuple(Tally(row.tag, row.posts) for row in rows)


async def tagged_posts(
    tx: Tx, tags: Sequence[str], older_than: tuple[datetime, UUID] | None, limit: int
) -> list[LivePost]:
    """Posts with any of these tags, newest publication first, without their bodies."""
    at, after = older_than or (None, None)
    rows = await tx.rows(
        sql(__package__, "live_tagged"),
        account=tx.account_id,
        tags=list(tags),
        at=at,
        after=after,
        most=limit,
    )
    return [LivePost(**{**row._mapping, "tags": tuple(row.tags)}) for row in rows]


async def live_titles(
    tx: Tx, span: Span, older_than: tuple[datetime, UUID] | None, limit: int
) -> list[LiveTitle]:
    """Posts of a span, newest publication first."""
    at, after = older_than or (None, None)
    rows = await tx.rows(
        sql(__package__, "live_archive"),
        account=tx.account_id,
        since=span.since,
        until=span.until,
        at=at,
        after=after,
        most=limit,
    )
    return [LiveTitle(**row._mapping) for row in rows]


async def live_years(tx: Tx, zone: str) -> tuple[Tally, ...]:
    """The years of the posts by a zone's calendar, newest first."""
    rows = await tx.rows(sql(__package__, "live_years"), account=tx.account_id, zone=zone)
    return tuple(Tally(str(row.year), row.posts) for row in rows)


async def live_addresses(tx: Tx, skip: int, limit: int) -> list[Address]:
    """Posts and pages, oldest first: a full part of the list never changes its members by a new one."""
    rows = await tx.rows(sql(__package__, "live_addresses"), account=tx.account_id, skip=skip, most=limit)
    return [Address(row.slug, row.changed_at) for row in rows]
