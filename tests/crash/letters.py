"""Codes and messages on a crew: queued, struck, and in the end compared with what the mailbox took."""

from datetime import datetime, timedelta
from typing import Any, Literal
from uuid import uuid4

from app.messages import SignInCode, TeamNotice, Welcome, queue_message
from tests.crash.crew import Stage
from tests.ledger.makers import Audience, audience_of

#: Where whoever hands a message over can die or freeze.
BOUNDARIES = (
    ("jobs", "after_claim"),
    ("messages", "after_check"),
    ("messages", "after_talk"),
    ("jobs", "before_settle"),
    ("jobs", "after_settle"),
)
Kind = Literal["code", "message", "repeatable"]
JOBS: dict[Kind, str] = {
    "code": "send_creator_code",
    "message": "send_message",
    "repeatable": "send_message",
}
_KEPT = "select raw from mailbox.mail where to_address = :to"
_JOB = """
select j.state, j.reason, array(select a.outcome from attempt a
    where a.account_id = j.account_id and a.job_id = j.id and a.late) as late
from job j where j.id = :id
"""


class Letter(Stage):
    """One message to one address."""

    audience: Audience
    to: str
    id: int

    async def write(self, kind: Kind) -> None:
        """Queue it."""
        self.to = f"{kind}-{uuid4().hex[:10]}@example.com"
        self.audience = await audience_of(self.web, 0)
        async with self.web.transaction(None if kind == "code" else self.audience.account_id) as tx:
            in_time = await tx.value("select godwit_now()") + timedelta(minutes=10)
            queued = await queue_message(tx, _letter(kind, self.to, in_time))
        assert queued is not None
        self.id = queued

    async def row(self) -> Any:
        """Its job, and its late results."""
        async with self.owner.transaction() as tx:
            return await tx.row(_JOB, id=self.id)

    async def becomes(self, state: str) -> Any:
        """Wait until its job is in this state."""

        async def so() -> Any:
            row = await self.row()
            return row if row.state == state else None

        return await self.all_of(so)

    async def copies(self) -> list[bytes]:
        """What the mailbox took, as it went over the wire."""
        async with self.owner.transaction() as tx:
            return [bytes(row.raw) for row in await tx.rows(_KEPT, to=self.to)]


def _letter(kind: Kind, to: str, in_time: datetime) -> SignInCode | TeamNotice | Welcome:
    match kind:
        case "code":
            return SignInCode(to, "123456", 10, "http://localhost/x", in_time)
        case "repeatable":
            return TeamNotice(to, "It is out", ("It reached 12.",), "http://x/", "Open", "Tidelines")
        case "message":
            return Welcome(
                to=to,
                sender="Tidelines <letters@example.org>",
                reply_to=None,
                publication="Tidelines",
                site_url="http://a.localhost",
                postal_address="Visby",
                newsletter="Tidelines",
                subject="Welcome aboard",
                html="<p>Good</p>",
                text="Good",
                unsubscribe_url="http://a.localhost/u",
                preferences_url="http://a.localhost/me",
            )
