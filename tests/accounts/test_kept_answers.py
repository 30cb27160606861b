"""Answers kept for an Idempotency-Key are forgotten after their day, also where nobody calls any more (6)."""

from app.accounts import PruneAnswers
from app.base.database import Database
from app.jobs import enqueue
from tests.messages.makers import a_loop, run
from tests.readers.makers import a_place
from workers import catalog

_KEPT = """
insert into idempotency (account_id, key, request_hash, created_at)
values (:account, :key, '\\x00', clock_timestamp() - make_interval(hours => :hours))
"""


async def test_a_silent_account_keeps_no_answer_longer_than_a_day(
    web: Database, worker: Database, owner: Database
) -> None:
    """The next call of the account would forget it; there may be none."""
    catalog.load()
    silent, other = await a_place(web, "silent"), await a_place(web, "other")
    async with owner.transaction() as tx:
        for key, hours in (("old", 25), ("new", 23)):
            await tx.execute(_KEPT, account=silent.id, key=key, hours=hours)
    async with other.transaction() as tx:
        await enqueue(tx, PruneAnswers())
    await run(a_loop(worker, "housekeeping"))
    async with owner.transaction() as tx:
        assert [row.key for row in await tx.rows("select key from idempotency")] == ["new"]
