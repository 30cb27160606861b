"""Releases: numbered, immutable publications of the account's site.

The number comes from the account's one counter row, locked until the commit: numbers have no gaps, a
rolled-back publication gives its number back (W1), and what a release finds on the site stays meanwhile.
The rows of its posts are locked before it, as by whoever publishes one.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from app.answers import plural
from app.base.database import Tx
from app.base.errors import Conflict, Problem
from app.base.settings import settings
from app.base.statements import sql
from app.posts.access import Access
from app.posts.announcing import tell_release
from app.posts.drafts import lock_post
from app.posts.release_queries import Change, Release, release
from app.posts.revisions import Revision, free_slug
from app.posts.slugs import RESERVED

_LIVE = """
select p.live_revision_id, p.slug, r.title, r.access, r.plan_id
from post p left join revision r on r.account_id = p.account_id and r.id = p.live_revision_id
where p.account_id = :account and p.id = :post
"""
_STANDS = """
select p.slug, exists (
    select from post o where o.account_id = :account and o.slug = :slug and o.id <> :post) as taken
from post p where p.account_id = :account and p.id = :post
"""
_LOCK = "select id from post where account_id = :account and id = any (:posts) order by id for no key update"
_NEWEST = "select newest from release_counter where account_id = :account for update"


@dataclass(frozen=True)
class _By:
    """Who publishes: a creator, or whoever has the name; `restored_from` is an older release's number."""

    id: UUID | None
    name: str = ""
    restored_from: int | None = None


class Opens(Conflict):
    """A published version would let somebody read posts who may not now: a problem each, by the post's id."""

    def __init__(self, number: int, changes: Sequence[Change]) -> None:
        told = "; ".join(
            f"“{one.title}” would be for {one.access.words} and is for {one.before.words}"
            for one in changes[:3]
            if one.before
        )
        more = f"; and {len(changes) - 3:,} more" if len(changes) > 3 else ""
        super().__init__(
            f"Published version {number} opens {plural(len(changes), 'post')}: {told}{more}. "
            "Nothing was changed. Say that this is wanted (by the API: their ids in `opens`), or restore "
            "another version."
        )
        self.problems = tuple(
            Problem(str(one.post_id), f"“{one.title}” would be for {one.access.words}.") for one in changes
        )


async def publish_revision(
    tx: Tx, revision: Revision, creator_id: UUID | None, by_name: str = "", *, slug: str | None = None
) -> Release:
    """Make the revision live under the account's next number.

    Publications of one account wait for each other here, so the slug that is free now stays free. With `slug`
    it goes live at that address alone: Conflict, and nothing happened, when another post has it.
    """
    number = await _next(tx)
    free = slug or revision.slug
    there = await tx.row(_STANDS, account=tx.account_id, post=revision.post_id, slug=free)
    if there.taken or free in RESERVED:
        free = await free_slug(tx, revision.post_id, free)
    if slug is not None and free != slug:
        raise Conflict(f"Another post stands at /{slug} by now, the address that this one was to have.")
    action = "updated" if there.slug else "published"
    change = Change(revision.post_id, revision.id, revision.title, free, action, revision.readers, there.slug)
    return await _release(tx, number, (change,), _By(creator_id, by_name))


async def unpublish(tx: Tx, post_id: UUID, by: UUID | None, by_name: str = "") -> Release:
    """Take a post off the site, as a release. Its address leads to it should it come back.

    Raises NotFound, and Conflict when it is not on the site.
    """
    await lock_post(tx, post_id)
    await tx.value(_NEWEST, account=tx.account_id)
    there = await tx.row(_LIVE, account=tx.account_id, post=post_id)
    assert there is not None
    if there.slug is None:
        raise Conflict("This post is not on the site.")
    readers = Access(there.access, there.plan_id)
    change = Change(
        post_id, there.live_revision_id, there.title, there.slug, "unpublished", readers, there.slug
    )
    return await _release(tx, await _next(tx), (change,), _By(by, by_name))


async def restoration(tx: Tx, number: int) -> tuple[Change, ...]:
    """What restoring a published version would change; empty: the site is as it was. Raises NotFound."""
    await release(tx, number)
    rows = await tx.rows(sql(__package__, "restoration"), account=tx.account_id, number=number)
    return tuple(
        Change(
            *(row.post_id, row.revision_id, row.title, row.slug, row.action),
            access=Access(row.access, row.plan_id),
            was=row.was,
            before=Access(row.access_before, row.plan_before),
        )
        for row in rows
    )


async def restore_release(
    tx: Tx,
    number: int,
    by: UUID | None,
    by_name: str = "",
    *,
    shown: int | None = None,
    opening: Collection[UUID] | None = (),
) -> Release:
    """The site as it was at a published version, as a new one. Drafts stay as they are.

    `shown`: the newest version when somebody was shown what would change. `opening`: the posts that may open
    to readers who may not read them now (None: all). Raises NotFound, Conflict when nothing would change or
    another version came since `shown`, and Opens for posts that are not in `opening`.
    """
    newest, changes = await _held(tx, number)
    if not changes:
        raise Conflict(f"The site is as it was at published version {number}. Nothing was changed.")
    if shown is not None and shown != newest:
        raise Conflict(
            f"Version {newest} was published since you looked, so other things would change than you were "
            "shown. Nothing was changed: look again at what would."
        )
    unasked = () if opening is None else [one for one in changes if one.opens and one.post_id not in opening]
    if unasked:
        raise Opens(number, unasked)
    return await _release(tx, await _next(tx), changes, _By(by, by_name, number))


class _MoreToHold(Exception):
    """Posts of these ids would change too, and were not held."""

    def __init__(self, posts: set[UUID]) -> None:
        super().__init__()
        self.posts = posts


async def _held(tx: Tx, number: int) -> tuple[int, tuple[Change, ...]]:
    """The newest version, and what restoring `number` changes: its posts are locked, then the counter.

    What another publishes meanwhile would change too. Its row cannot be asked for with the counter in hand,
    which its next press wants while it has the row: all is given back, and asked for anew with that one.
    """
    posts = {change.post_id for change in await restoration(tx, number)}
    while True:
        try:
            async with tx.savepoint():
                await tx.rows(_LOCK, account=tx.account_id, posts=list(posts))
                newest = await tx.value(_NEWEST, account=tx.account_id)
                changes = await restoration(tx, number)
                if more := {change.post_id for change in changes} - posts:
                    raise _MoreToHold(more)
                return newest, changes
        except _MoreToHold as met:
            posts |= met.posts


async def _next(tx: Tx) -> int:
    return await tx.value(sql(__package__, "next_number"), account=tx.account_id)


async def _release(tx: Tx, number: int, changes: tuple[Change, ...], by: _By) -> Release:
    leaving = [change for change in changes if change.was and (change.was != change.slug or change.gone)]
    if leaving:  # before others stand where they stood
        posts = [change.post_id for change in leaving]
        await tx.execute(sql(__package__, "vacate"), account=tx.account_id, posts=posts)
    staying = [change for change in changes if change.action != "unpublished"]
    row = await tx.row(
        sql(__package__, "release"),
        account=tx.account_id,
        number=number,
        by=by.id,
        by_name=by.name,
        restored_from=by.restored_from,
        changes=[_stored(change) for change in changes],
        left=[{"path": f"/{change.was}", "post_id": str(change.post_id)} for change in leaving],
        taken=[f"/{change.slug}" for change in staying],
    )
    made = Release(number, row.published_at, by.name, changes, live=True, restored_from=by.restored_from)
    if row.heard_at is not None:
        await tell_release(tx, made, settings().site_url(row.heard_at))
    return made


def _stored(change: Change) -> dict[str, Any]:
    return {
        "post_id": str(change.post_id),
        "revision_id": str(change.revision_id),
        "slug": change.slug,
        "action": change.action,
    }
