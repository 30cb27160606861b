"""Saving a draft, so that what stood there before can be had again.

Whatever a save writes over is kept as an earlier version first when somebody else wrote it, or when nothing
was kept for KEPT_EVERY: hours of writing leave a handful of versions behind, not one and not thousands.
"""

import asyncio
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

from app.base import clock
from app.base.database import Tx
from app.base.errors import Conflict, GodwitError
from app.posts import markdown
from app.posts.access import stricter
from app.posts.drafts import Draft, StaleVersion, draft_of, storable, write_over, written
from app.posts.revisions import Revision, earlier, keep
from app.posts.writing import Writing

KEPT_EVERY = timedelta(minutes=10)
_SINCE = """
select coalesce((select max(created_at) from revision where account_id = :account and post_id = :post),
                (select created_at from post where account_id = :account and id = :post))
"""


async def save_draft(
    tx: Tx,
    post_id: UUID,
    version: int,
    writing: Writing,
    by: UUID | None = None,
    *,
    titled: bool = False,
    there: Draft | None = None,
) -> Draft:
    """Save over `version` of the draft; a save that changes nothing keeps the version.

    `there` is the draft if it was read and locked in this transaction; `titled` as for `create_post`. Raises
    StaleVersion (a Conflict), NotFound, Invalid, TooLarge.
    """
    wanted = await storable(tx, writing, titled=titled)
    there = there or await draft_of(tx, post_id, lock=True)
    if there.writing == wanted:
        return there
    if there.version != version:
        raise StaleVersion(there)
    if there.saver_id != by or await _not_kept_lately(tx, there):
        await _keep_by_itself(tx, there)
    return await write_over(tx, there, wanted, by)


async def keep_version(tx: Tx, post_id: UUID, version: int, by: UUID) -> Revision:
    """Keep the draft as it is, because somebody wants it kept. Raises NotFound, StaleVersion, Conflict."""
    there = await draft_of(tx, post_id, lock=True)
    if there.version != version:
        raise StaleVersion(there)
    if not there.writing.title and not there.writing.markdown.strip():
        raise Conflict("There is nothing to keep yet: the post is empty.")
    return await keep(tx, there, by, "by_hand")


async def restore_version(tx: Tx, post_id: UUID, number: int, version: int, by: UUID) -> Draft:
    """Put an earlier version in the draft's place; the draft as it is is kept first.

    The address stays as it is: an old one would move a post that readers have links to. Who may read it is
    whatever is stricter, of then and now. Nothing is published. Raises NotFound, StaleVersion when `version`
    is not the draft's.
    """
    there = await draft_of(tx, post_id, lock=True)
    then = await earlier(tx, post_id, number)
    readers = stricter(then.readers, there.writing.readers)
    wanted = replace(written(then), slug=there.writing.slug, access=readers.kind, plan_id=readers.plan_id)
    if wanted.excerpt == await asyncio.to_thread(_first_words, wanted):
        wanted = replace(wanted, excerpt="")
    if there.writing == wanted:
        return there
    if there.version != version:
        raise StaleVersion(there)
    await keep(tx, there, there.saver_id, "before_restore")
    return await write_over(tx, there, wanted, by)


async def _not_kept_lately(tx: Tx, there: Draft) -> bool:
    before = clock.now() - KEPT_EVERY
    if there.made_at is not None and there.made_at > before:
        return False
    return await tx.value(_SINCE, account=tx.account_id, post=there.post_id) <= before


async def _keep_by_itself(tx: Tx, there: Draft) -> None:
    """Keep what is about to be written over; an empty page is no version."""
    if there.writing.title or there.writing.markdown.strip():
        with suppress(GodwitError):  # a text that cannot be rendered must not keep the next from being saved
            await keep(tx, there, there.saver_id, "by_itself")


def _first_words(writing: Writing) -> str:
    try:
        return markdown.excerpt(writing.markdown, only_free=writing.access != "everyone")
    except GodwitError:
        return ""
