"""Releases: numbered, immutable publications of the account's site.

The number comes from the account's one counter row, locked until the commit: numbers have no gaps, and a
rolled-back publication gives its number back (W1).
"""

from uuid import UUID

from app.base.database import Tx
from app.base.statements import sql
from app.posts.queries import Change, Release
from app.posts.revisions import Revision, free_slug


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
