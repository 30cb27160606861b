"""Releases: numbered, immutable publications of the account's site.

The number comes from the account's one counter row, locked until the commit: numbers have no gaps, and a
rolled-back publication gives its number back (W1).
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from app.base.database import Tx
from app.base.statements import sql
from app.posts.revisions import Revision, free_slug


@dataclass(frozen=True)
class Change:
    """What a release did to one post. `action` is published or updated."""

    post_id: UUID
    revision_id: UUID
    title: str
    slug: str
    action: str


@dataclass(frozen=True)
class Release:
    """A published version. `live`: it is the newest; `published_by` is a name, '' for the API."""

    number: int
    published_at: datetime
    published_by: str
    changes: tuple[Change, ...]
    live: bool


async def publish_revision(tx: Tx, revision: Revision, creator_id: UUID | None) -> Release:
    """Make the revision live under the account's next number.

    Publications of one account wait for each other here, so the slug that is free now stays free.
    """
    number = await tx.value(sql(__package__, "next_number"), account=tx.account_id)
    slug = await free_slug(tx, revision.post_id, revision.slug)
    made = await tx.row(
        sql(__package__, "release"),
        account=tx.account_id,
        number=number,
        by=creator_id,
        post=revision.post_id,
        revision=revision.id,
        slug=slug,
    )
    assert made is not None
    change = Change(revision.post_id, revision.id, revision.title, slug, made.action)
    return Release(number, made.published_at, made.published_by, (change,), live=True)
