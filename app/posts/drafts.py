"""Drafts: a post's working copy, saved by compare-and-set on its version.

A save names the version it started from (`saving.save_draft`). Somebody else's save in between is a Conflict
that says who saved and when; nothing is written, and the caller still holds its own text. A save that was
already made (its answer was lost on the way) is answered again instead of being taken for a conflict with
itself.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from app.base import ids
from app.base.database import Tx
from app.base.errors import Conflict, Invalid, NotFound, Problem
from app.base.statements import sql
from app.posts.rendering import rendering
from app.posts.writing import Writing, tidy

NEEDS_TITLE = "Give the post a title."
GONE = "There is no such post."
_LOCK = "select id from post where account_id = :account and id = :post for no key update"
# plans stands above: this is one row of its table, read and no more.
_PLAN = "select exists (select from plan where account_id = :account and id = :plan)"


@dataclass(frozen=True)
class Draft:
    """The working copy as stored. `saved_by` is a name, '' for the API or nobody; `saver_id` whose it is.

    `live_since`: when the version that is on the site was frozen; None while none is.
    """

    post_id: UUID
    writing: Writing
    version: int
    saved_at: datetime
    saved_by: str
    live_slug: str | None = None
    saver_id: UUID | None = None
    made_at: datetime | None = None
    published_at: datetime | None = None
    live_since: datetime | None = None

    @property
    def title(self) -> str:
        """The title, or what a list shows in its place."""
        return self.writing.title or "Untitled"


class StaleVersion(Conflict):
    """The draft was saved by somebody else since; `theirs` is what stands there now."""

    def __init__(self, theirs: Draft) -> None:
        who = theirs.saved_by or "Another program (through the API)"
        super().__init__(
            f"{who} saved version {theirs.version} of this post at {theirs.saved_at:%H:%M} UTC, after you "
            "opened it. Nothing was overwritten: load that version, put your changes into it and save again."
        )
        self.theirs = theirs


async def create_post(
    tx: Tx,
    writing: Writing,
    by: UUID | None = None,
    *,
    post_id: UUID | None = None,
    titled: bool = False,
) -> Draft:
    """Make a post with its first draft, version 1.

    `post_id`: under this id, when an editor was opened before there was a post; who comes second with it is a
    StaleVersion. `titled`: a post without a title is refused. Raises Invalid and TooLarge as `tidy` does.
    """
    wanted = await storable(tx, writing, titled=titled)
    post_id = post_id or ids.new()
    new = await tx.row(
        sql(__package__, "create_draft"), account=tx.account_id, post=post_id, by=by, **wanted.columns()
    )
    if new and by is None:
        return Draft(post_id, wanted, new.version, new.updated_at, "", made_at=new.made_at)
    made = await draft_of(tx, post_id, lock=True)
    if not new and made.writing != wanted:
        raise StaleVersion(made)
    return made


async def lock_post(tx: Tx, post_id: UUID) -> None:
    """Presses of one post wait for each other here, before they take anything else of it. Raises NotFound."""
    if await tx.value(_LOCK, account=tx.account_id, post=post_id) is None:
        raise NotFound(GONE)


async def draft_of(tx: Tx, post_id: UUID, *, lock: bool = False) -> Draft:
    """The draft of a post. Raises NotFound.

    `lock`: nobody else saves or freezes it until this transaction ends.
    """
    row = await _draft_row(tx, post_id, "for update of d" if lock else "")
    if lock and row.updated_by and not row.saved_by:
        # Who saved while this waited for the lock: the names are those of before.
        row = await _draft_row(tx, post_id, "")
    return _draft(post_id, row)


async def lock_with_draft(tx: Tx, post_id: UUID) -> Draft:
    """As `lock_post`, and the draft with its lock behind it. Raises NotFound."""
    return _draft(post_id, await _draft_row(tx, post_id, "for no key update of p for update of d"))


async def _draft_row(tx: Tx, post_id: UUID, locked: str) -> Any:
    asked = f"{sql(__package__, 'draft').text}{locked}"
    row = await tx.row(asked, account=tx.account_id, post=post_id)
    if row is None:
        raise NotFound(GONE)
    return row


def _draft(post_id: UUID, row: Any) -> Draft:
    return Draft(
        post_id,
        written(row),
        row.version,
        row.updated_at,
        row.saved_by,
        row.live_slug,
        row.updated_by,
        row.made_at,
        row.published_at,
        row.live_since,
    )


async def write_over(tx: Tx, there: Draft, wanted: Writing, by: UUID | None) -> Draft:
    """Put `wanted` (tidy) in the place of `there`, which is locked, as its next version."""
    saved = await tx.row(
        sql(__package__, "save_draft"),
        account=tx.account_id,
        post=there.post_id,
        version=there.version,
        by=by,
        **wanted.columns(),
    )
    if saved is not None and by is None:
        return Draft(
            there.post_id,
            wanted,
            saved.version,
            saved.updated_at,
            "",
            saved.live_slug,
            made_at=saved.made_at,
            published_at=saved.published_at,
            live_since=saved.live_since,
        )
    return await draft_of(tx, there.post_id)


async def storable(tx: Tx, writing: Writing, *, titled: bool) -> Writing:
    """`writing`, tidy. Raises Invalid without a title when `titled`, and for a plan that is not there."""
    wanted = await rendering(writing.markdown, tidy, writing)
    if titled and not wanted.title:
        raise Invalid([Problem("title", NEEDS_TITLE)])
    if wanted.plan_id and not await tx.value(_PLAN, account=tx.account_id, plan=wanted.plan_id):
        raise Invalid([Problem("plan", "There is no such plan. Choose another.")])
    return wanted


def written(row: Any) -> Writing:
    """The Writing in a row of draft or revision."""
    columns = {name: getattr(row, name) for name in Writing.__dataclass_fields__}
    return Writing(**{**columns, "tags": tuple(row.tags)})
