"""Accounts and posts for tests, made as the web process makes them."""

from dataclasses import dataclass
from uuid import UUID

from app.base import ids
from app.base.database import Database
from app.posts import Draft, Release, Writing, create_post, freeze, publish_revision


@dataclass(frozen=True)
class Desk:
    """An account with one creator, and its newsletter."""

    account_id: int
    slug: str
    creator_id: UUID
    newsletter_id: UUID


async def make_desk(web: Database, slug: str = "tidelines", name: str = "Ana Moreau") -> Desk:
    """A new account with its owner."""
    creator_id, newsletter_id = ids.new(), ids.new()
    async with web.transaction() as tx:
        await tx.execute(
            "insert into creator (id, email, name) values (:id, :email, :name)",
            id=creator_id,
            email=f"{slug}@example.org",
            name=name,
        )
        account_id = await tx.value(
            "select open_account(:slug, 'Tidelines', '1 Harbour Road, Deal', :creator, :newsletter)",
            slug=slug,
            creator=creator_id,
            newsletter=newsletter_id,
        )
    return Desk(account_id, slug, creator_id, newsletter_id)


async def make_post(
    web: Database, desk: Desk, title: str = "The bird", markdown: str = "It does not *land*.", **more: object
) -> Draft:
    """A draft of the desk's creator."""
    async with web.transaction(desk.account_id) as tx:
        return await create_post(tx, Writing(title, markdown, **more), desk.creator_id)  # type: ignore[arg-type]


async def publish_post(web: Database, desk: Desk, draft: Draft) -> Release:
    """The draft on the site, as one release."""
    async with web.transaction(desk.account_id) as tx:
        frozen = await freeze(tx, draft.post_id, desk.creator_id)
        return await publish_revision(tx, frozen, desk.creator_id)
