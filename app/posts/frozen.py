"""A frozen version by its id, for what goes out later than it was frozen."""

from uuid import UUID

from app.base.database import Tx
from app.base.errors import NotFound
from app.base.statements import sql
from app.posts.revisions import Revision


async def frozen_revision(tx: Tx, revision_id: UUID) -> Revision:
    """Raises NotFound."""
    row = await tx.row(sql(__package__, "frozen"), account=tx.account_id, revision=revision_id)
    if row is None:
        raise NotFound("The version that was frozen is gone.")
    return Revision(**{**row._mapping, "tags": tuple(row.tags)})
