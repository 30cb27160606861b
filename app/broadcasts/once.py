"""A post goes to a newsletter once: which emails count, and how one that nobody got gives up its place.

Nobody got it (Decision 24): it is cancelled, which is for good and after which nothing is claimed, and no
copy is with the provider, sent or unsure. What a person had sent again while nobody knew proves nothing.
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from app.base.database import Tx

_NOBODY_GOT_IT = """
exists (select from mailing m where m.account_id = b.account_id and m.id = b.mailing_id
        and m.state = 'cancelled')
and not exists (select from tally t where t.account_id = b.account_id and t.mailing_id = b.mailing_id
                and t.state in ('sending', 'sent', 'unknown') group by t.state having sum(t.n) > 0)
and not exists (select from batch a where a.account_id = b.account_id and a.mailing_id = b.mailing_id
                and a.evidence ? 'sent_again')
"""
_MAILED_BEFORE = f"""
select b.id, b.pressed_at, b.pressed_by_name from broadcast b
where b.account_id = :account and b.post_id = :post and b.newsletter_id = :newsletter and not b.undone
  and not ({_NOBODY_GOT_IT})
order by b.pressed_at desc limit 1
"""
# Two who do this at once wait for each other at the rows; then broadcast_once lets one of them in.
_GIVE_UP = f"""
update broadcast b set undone = true
where b.account_id = :account and b.post_id = :post and b.newsletter_id = :newsletter and not b.undone
  and {_NOBODY_GOT_IT}
"""


@dataclass(frozen=True)
class MailedBefore:
    """The email by which a newsletter has a post already."""

    id: UUID
    at: datetime
    by: str


async def mailed_before(tx: Tx, post_id: UUID, newsletter_id: UUID) -> MailedBefore | None:
    """The newest broadcast of this post to this newsletter that somebody got or may get, or None."""
    row = await tx.row(_MAILED_BEFORE, account=tx.account_id, post=post_id, newsletter=newsletter_id)
    return MailedBefore(*row) if row else None


async def give_up_place(tx: Tx, post_id: UUID, newsletter_id: UUID) -> None:
    """Those that nobody got count as taken back, so that the post can be mailed as if never before."""
    await tx.execute(_GIVE_UP, account=tx.account_id, post=post_id, newsletter=newsletter_id)
