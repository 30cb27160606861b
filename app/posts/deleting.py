"""Deleting what never went out: a draft, its earlier versions and its test mails.

What was published, mailed or put on the schedule is in the books of others, whose foreign keys keep its post:
those rows decide, also against a press in the same moment. Its row is locked first, then its draft, as by
whoever publishes: of two presses one waits for the other, and none for one that waits for it.
"""

from uuid import UUID

from sqlalchemy.exc import IntegrityError

from app.base.database import Tx
from app.base.errors import Conflict
from app.posts.drafts import StaleVersion, draft_of, lock_post

_REVISIONS = "delete from revision where account_id = :account and post_id = :post"
# Asked before the foreign key would: it waits for whoever publishes what waits, who waits for the post's row.
_SCHEDULED = "select exists (select from scheduled where account_id = :account and post_id = :post)"
_POST = "delete from post where account_id = :account and id = :post"
WENT_OUT = (
    "This post was published, mailed or scheduled before, so what happened to it stays in the books, and it"
    " with them. It can be taken off the site; the draft harms nobody."
)


async def delete_post(tx: Tx, post_id: UUID, version: int | None = None) -> None:
    """Delete a post that never went out, with all its versions, if it still is as at `version`, if given.

    Raises NotFound, StaleVersion when somebody saved since, and Conflict when it went out. All stays then.
    """
    await lock_post(tx, post_id)
    draft = await draft_of(tx, post_id, lock=True)
    if version is not None and draft.version != version:
        raise StaleVersion(draft)
    if await tx.value(_SCHEDULED, account=tx.account_id, post=post_id):
        raise Conflict(WENT_OUT)
    try:
        async with tx.savepoint():
            await tx.execute(_REVISIONS, account=tx.account_id, post=post_id)
            await tx.execute(_POST, account=tx.account_id, post=post_id)
    except IntegrityError as error:
        raise Conflict(WENT_OUT) from error
