"""A mailing on a crew: begun, struck, and in the end compared with what the provider took."""

from collections import Counter
from typing import Any
from uuid import UUID

from app.ledger import Figures, mailing_view
from tests.crash.crew import Stage
from tests.crash.scenario import LONG
from tests.ledger.makers import Audience, audience_of, build, mailing_to

#: Where a permit's worker can die or freeze: jobs is the engine's book, ledger the mailing's.
BOUNDARIES = (
    ("jobs", "after_claim"),
    ("ledger", "after_claim"),
    ("ledger", "after_talk"),
    ("ledger", "before_settle"),
    ("ledger", "after_settle"),
    ("jobs", "before_settle"),
    ("jobs", "after_settle"),
)
SENDS = "deliver_sends"
_COPIES = """
select to_address, count(*) as n from mailbox.mail where account_id = :account and kind = 'broadcast'
group by 1
"""
_UNDONE = "select count(*) from job where account_id = :account and state in ('ready', 'leased')"


class Mailing(Stage):
    """An account with readers and one mailing to them."""

    audience: Audience
    id: UUID
    readers: int

    async def write_to(self, readers: int, **how: Any) -> None:
        """The audience is read; the feeder grants within a second."""
        self.audience, self.readers = await audience_of(self.web, readers), readers
        self.id = await mailing_to(self.web, self.audience, **how)
        await build(self.worker, self.audience, self.id)

    async def view(self) -> Any:
        """As the page has it; its figures add up whenever they are asked for (L7)."""
        async with self.worker.transaction(self.audience.account_id) as tx:
            found = await mailing_view(tx, self.id)
        assert found is not None
        assert sum(vars(found.figures).values()) == self.readers
        return found

    async def audited(self, seconds: float = LONG) -> Any:
        """Wait until the books are compared and no job of the account is left (E2)."""

        async def compared() -> Any:
            found = await self.view()
            assert found.state != "paused", found.reason
            left = await self.asked(_UNDONE, account=self.audience.account_id)
            return found if found.audited_at and not left else None

        return await self.all_of(compared, seconds)

    async def shows(self, **wanted: int) -> Figures:
        """Wait until the figures are these."""

        async def so() -> Figures | None:
            figures = (await self.view()).figures
            return figures if {name: getattr(figures, name) for name in wanted} == wanted else None

        return await self.all_of(so)

    async def settled(self) -> Figures:
        """Wait until nothing is planned or under way: what is left is known, or for a person to know."""

        async def so() -> Figures | None:
            found = await self.view()
            assert found.state != "paused", found.reason
            figures = found.figures
            return None if figures.planned or figures.sending else figures

        return await self.all_of(so)

    async def copies(self) -> dict[str, int]:
        """How many mails the mailbox took for each address."""
        async with self.owner.transaction() as tx:
            rows = await tx.rows(_COPIES, account=self.audience.account_id)
        return {row.to_address: row.n for row in rows}

    async def each_has_one(self) -> None:
        """Nobody got two, nobody none, and the books know it (L1, L3, L7)."""
        view = await self.audited()
        assert Counter((await self.copies()).values()) == {1: self.readers}
        assert (view.state, view.figures.sent) == ("finished", self.readers)
        assert view.audit["balanced"] is True
        assert view.audit["possible_doubles"] == view.audit["provider_lacks"] == 0
