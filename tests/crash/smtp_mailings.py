"""A mailing over an SMTP server that logs to disk what it keeps, and fails as told."""

from collections import Counter
from pathlib import Path
from typing import Literal
from uuid import UUID

from app.base.settings import settings
from app.fakes import FakeSmtp
from app.fakes.smtp import KeptMail
from app.ledger import decide
from tests.crash.crew import Crew
from tests.crash.mailings import Mailing

_UNSURE = """
select s.reader_id as id, r.email
from send s join reader r on r.account_id = s.account_id and r.id = s.reader_id
where s.account_id = :account and s.mailing_id = :mailing and s.state = 'unknown'
"""


class SmtpMailing(Mailing):
    """The server is this test's own; its log outlives everybody."""

    server: FakeSmtp

    def __init__(self, crew: Crew, log: Path) -> None:
        super().__init__(crew)
        self.log = log

    async def begin(self) -> None:
        """The crew is whole, and the server listens."""
        await super().begin()
        await self.serve()

    async def serve(self) -> None:
        """The server listens, or does so again."""
        smtp = settings().mail.smtp
        assert smtp is not None
        self._write("")
        self.server = FakeSmtp(port=smtp.port, seen=self._noted)
        await self.server.start()

    async def end(self) -> None:
        """The server goes after whoever talks to it."""
        await super().end()
        await self.server.stop()

    def _noted(self, mail: KeptMail) -> None:
        self._write(f"{mail.recipient}\n")

    def _write(self, line: str) -> None:
        with self.log.open("a") as log:
            log.write(line)

    async def copies(self) -> dict[str, int]:
        """How often each address stands in the server's log."""
        return Counter(self.log.read_text().split())

    async def unsure(self) -> dict[str, UUID]:
        """Whose copies are unknown, by address."""
        async with self.owner.transaction() as tx:
            rows = await tx.rows(_UNSURE, account=self.audience.account_id, mailing=self.id)
        return {row.email: row.id for row in rows}

    async def decides(self, become: Literal["sent", "planned"], readers: list[UUID]) -> None:
        """A person says so, who looked into the server's log."""
        if readers:
            async with self.web.transaction(self.audience.account_id) as tx:
                await decide(tx, self.id, become, readers, by="Ana", recorded=False)

    async def decides_by_the_log(self) -> None:
        """What the log has arrived; the rest did not."""
        unsure, there = await self.unsure(), await self.copies()
        await self.decides("sent", [one for email, one in unsure.items() if email in there])
        await self.decides("planned", [one for email, one in unsure.items() if email not in there])

    async def each_has_one_by_the_log(self) -> None:
        """One line for each; a copy that a person sent again is listed, as may be needless (L1)."""
        view = await self.audited()
        assert Counter((await self.copies()).values()) == {1: self.readers}
        assert (view.state, view.figures.sent) == ("finished", self.readers)
        assert view.audit["balanced"] is True
