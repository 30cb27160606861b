"""E10: whose turn it is, before anybody decides how much of it."""

from typing import Any

import pytest

from app.base.database import Database
from app.jobs import leases
from tests.jobs.makers import change

_SHARES = """
insert into job (account_id, queue, kind, args, share, run_at)
select account, 'webhooks', kind, '{}', share, now() + make_interval(mins => due)
from (values ('a', 7, 'first', -2), ('a', 7, 'second', -1), ('b', 8, 'third', -1), ('c', 7, 'not_yet', 5),
             ('d', 7, 'also_due', -1), ('d', 7, 'not_yet', 5)) as j(share, account, kind, due)
"""


@pytest.mark.parametrize(
    ("after", "order"), [("", "abd"), ("a", "bda"), ("b", "dab"), ("c", "dab"), ("d", "abd"), ("z", "abd")]
)
async def test_turns_go_round_once_from_the_share_after_the_last(
    owner: Database, worker: Database, after: str, order: str
) -> None:
    """Each with its account and the job that is due first; a share with nothing due has none."""
    await change(owner, _SHARES)
    told = await due(worker, after, 10)
    assert [share for share, _, _ in told] == list(order)
    assert set(told) == {("a", 7, "first"), ("b", 8, "third"), ("d", 7, "also_due")}


async def test_no_more_turns_are_looked_for_than_are_wanted(owner: Database, worker: Database) -> None:
    await change(owner, _SHARES)
    assert [share for share, _, _ in await due(worker, "a", 2)] == ["b", "d"]


async def test_other_queues_and_jobs_that_are_out_have_no_turn(owner: Database, worker: Database) -> None:
    await change(owner, _SHARES)
    await change(owner, "update job set queue = 'build' where share = 'a'")
    await change(
        owner,
        "update job set state = 'leased', lease = nextval('job_lease'), attempts = 1, leased_by = 'w',"
        " leased_at = now(), leased_until = now() + interval '1 h' where share = 'b'",
    )
    assert await due(worker, "", 10) == [("d", 7, "also_due")]


async def due(worker: Database, after: str, most: int) -> list[Any]:
    """(share, account, kind) of each turn."""
    async with worker.transaction() as tx:
        return [tuple(row) for row in await leases.due_shares(tx, "webhooks", after, most)]
