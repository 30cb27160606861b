"""Presses and readers for tests."""

from dataclasses import replace

from app.accounts import Account, account_of
from app.base import ids
from app.base.database import Database
from app.publishing import Email, Press, Publication, publish
from tests.posts.makers import Desk

_READERS = """
with made as (
    insert into reader (account_id, id, email, source)
    select :account, gen_random_uuid(), :prefix || n || '@example.org', 'studio'
      from generate_series(1, cast(:count as integer)) as n
    returning id
)
insert into subscription (account_id, reader_id, newsletter_id, state, consent_source, consent_at)
select :account, id, :newsletter, :state, 'test', godwit_now() from made
"""


async def make_readers(
    web: Database, desk: Desk, count: int, prefix: str = "reader", state: str = "active"
) -> None:
    """So many readers of the desk's newsletter."""
    async with web.transaction(desk.account_id) as tx:
        await tx.execute(
            _READERS,
            account=desk.account_id,
            newsletter=desk.newsletter_id,
            prefix=prefix,
            count=count,
            state=state,
        )


async def press_publish(web: Database, press: Press, account_id: int) -> Publication:
    """One press, in a transaction of its own."""
    async with web.transaction(account_id) as tx:
        return await publish(tx, press)


def press_of(desk: Desk, post_id: object, **changes: object) -> Press:
    """A press of site and email by the desk's creator, with a key of its own."""
    press = Press(
        key=f"press:{ids.new()}",
        post_id=post_id,  # type: ignore[arg-type]
        site=True,
        email=Email(),
        by=desk.creator_id,
        by_name="Ana Moreau",
    )
    return replace(press, **changes)  # type: ignore[arg-type]


async def account(web: Database, desk: Desk) -> Account:
    """The desk's account."""
    async with web.transaction(desk.account_id) as tx:
        return await account_of(tx)


async def counts(web: Database, desk: Desk) -> dict[str, int]:
    """How many rows a publication left in each book."""
    async with web.transaction(desk.account_id) as tx:
        return {
            name: await tx.value(f"select count(*) from {name}")
            for name in ("revision", "release", "broadcast", "mailing", "publication")
        }
