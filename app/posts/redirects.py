"""Old addresses of a site that lead on: to a post wherever it stands now, or elsewhere.

A redirect names the post, not its address, so none leads to another, and none in a circle. An address that a
post takes leads nowhere else from then on (sql/release.sql).
"""

from uuid import UUID

from app.base.database import Tx
from app.posts.slugs import path_of

_ADD = """
insert into redirect (account_id, path, post_id) values (:account, :path, :post)
on conflict (account_id, path) do nothing
"""
_LEADS = """
select d.target, p.slug from redirect d
left join post p on p.account_id = d.account_id and p.id = d.post_id and p.live_revision_id is not null
where d.account_id = :account and d.path = :path
"""


async def add_redirect(tx: Tx, path: str, post_id: UUID) -> None:
    """Lead from an old path (decoded, `/` first and none at its end) to a post; one that leads on stays."""
    await tx.execute(_ADD, account=tx.account_id, path=path, post=post_id)


async def redirected(tx: Tx, path: str) -> str | None:
    """Where this path leads on to, fit for a Location; None when it leads nowhere, or to what is not live."""
    row = await tx.row(_LEADS, account=tx.account_id, path=path)
    if row is None:
        return None
    return row.target or (path_of(row.slug) if row.slug else None)
