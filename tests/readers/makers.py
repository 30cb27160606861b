"""An account with its newsletter, and readers in it."""

from dataclasses import dataclass
from uuid import UUID

from app.base import ids
from app.base.addresses import canonical
from app.base.database import Database
from app.readers import Consent, NewReader, ReaderView, add_reader, default_newsletter, reader


@dataclass(frozen=True)
class Place:
    """An account as a test has it, written to as the web does."""

    web: Database
    id: int
    newsletter_id: UUID

    def transaction(self):
        return self.web.transaction(self.id)

    async def reader(self, email: str = "anna@example.org", **more) -> ReaderView:
        """A reader who agreed a minute ago."""
        async with self.transaction() as tx:
            made = await add_reader(tx, self.new(email, **more))
            found = await reader(tx, made.reader_id)
        assert found is not None
        return found

    def new(self, email: str, **more) -> NewReader:
        defaults = {"newsletters": (self.newsletter_id,), "consent": Consent("a form"), "source": "api"}
        return NewReader(canonical(email), **(defaults | more))


async def a_place(web: Database, slug: str = "tidelines") -> Place:
    """A fresh account."""
    creator = ids.new()
    async with web.transaction() as tx:
        await tx.execute(
            "insert into creator (id, email, name) values (:id, :email, 'Ana Moreau')",
            id=creator,
            email=f"ana@{slug}.example",
        )
        account_id = await tx.value(
            "select open_account(:slug, 'Tidelines', '', :creator, :newsletter)",
            slug=slug,
            creator=creator,
            newsletter=ids.new(),
        )
    async with web.transaction(account_id) as tx:
        return Place(web, account_id, (await default_newsletter(tx)).id)


async def another_newsletter(owner: Database, place: Place, slug: str = "field-notes") -> UUID:
    """A second newsletter in the account."""
    made = ids.new()
    async with owner.transaction(place.id) as tx:
        await tx.execute(
            "insert into newsletter (account_id, id, slug, name)"
            " values (:account, :id, :slug, 'Field notes')",
            account=place.id,
            id=made,
            slug=slug,
        )
    return made
