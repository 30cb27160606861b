"""A mailing that tells what becomes of it, and what was told."""

from dataclasses import dataclass
from uuid import UUID

from app.base.database import Database
from app.jobs import job
from app.ledger import hears_of_mailings
from tests.ledger.makers import Audience, audience_of, build, mailing_to


@hears_of_mailings("test_heard")
@job("test_heard", queue="housekeeping")
@dataclass(frozen=True)
class Heard:
    """What a mailing's source is told in these tests."""

    mailing_id: UUID
    change: str
    reason: str


async def watched(web: Database, worker: Database, n: int) -> tuple[Audience, UUID]:
    """A mailing that tells what becomes of it."""
    audience = await audience_of(web, n)
    mailing = await mailing_to(web, audience, on_change="test_heard")
    await build(worker, audience, mailing)
    return audience, mailing


async def heard(worker: Database, audience: Audience) -> list[tuple[str, str]]:
    """(change, reason) of every job that was enqueued."""
    async with worker.transaction(audience.account_id) as tx:
        rows = await tx.rows("select args from job where kind = 'test_heard' order by id")
    return [(row.args["change"], row.args["reason"]) for row in rows]
