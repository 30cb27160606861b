"""What a switch stops is not claimed, and what is held is let go once; nothing of it is lost (L10)."""

from typing import Any

import pytest

from app.base.database import Database
from app.jobs import hold, leases, let_go
from tests.jobs.kinds import Answer, Secret
from tests.jobs.makers import change, in_state, job, put, working

_SWITCH = """
insert into switch (account_id, stopped, holding, scope, reason)
values (:account, :stopped, true, :scope, 'leak')
on conflict (account_id) do update set stopped = excluded.stopped, holding = true, scope = excluded.scope
"""


async def claim(worker: Database, queue: str, kind: str) -> list[Any]:
    async with worker.transaction() as tx:
        return await leases.claim(
            tx, queue=queue, kinds={kind: 1}, worker="w", after="", wanted=9, per_share=9, most_leases=99
        )


async def ready(web: Database, owner: Database, queue: str, account: int) -> int | None:
    made = await put(web, Answer("done"), account=account)
    await change(owner, "update job set queue = :queue where id = :id", queue=queue, id=made)
    return made


@pytest.mark.parametrize("switched", [0, 7])
@pytest.mark.parametrize("stopped", [True, False])
@pytest.mark.parametrize(
    ("queue", "scope", "held"),
    [
        ("sends", "all", True),
        ("sends", "bulk", True),
        ("messages", "all", True),
        ("messages", "bulk", False),
        ("webhooks", "all", False),
        ("imports", "all", False),
    ],
)
async def test_stopped_mail_is_left_where_it_is(
    web: Database, worker: Database, owner: Database,
    switched: int, stopped: bool, queue: str, scope: str, held: bool,
) -> None:  # fmt: skip
    """L5, L10: also after the switch is off, until it is let go; another account's mail goes."""
    made = await ready(web, owner, queue, 7)
    other = await ready(web, owner, queue, 8)
    await change(owner, _SWITCH, account=switched, scope=scope, stopped=stopped)
    found = {row.id for row in await claim(worker, queue, "test_answer")}
    assert (made in found) is not held
    assert (other in found) is not (held and switched == 0)
    if held:
        assert (await job(owner, made)).attempts == 0
        await change(owner, "update switch set stopped = false, holding = false")
        assert made in {row.id for row in await claim(worker, queue, "test_answer")}


@pytest.mark.parametrize(
    ("scope", "stopped", "state"),
    [("all", True, "discarded"), ("bulk", True, "leased"), ("all", False, "leased")],
)
@pytest.mark.parametrize("queue", ["codes_creators", "codes_readers"])
async def test_a_code_is_never_held(
    web: Database, worker: Database, owner: Database, queue: str, scope: str, stopped: bool, state: str
) -> None:
    """M2: discarded while mail is stopped, with the reason and without its secrets; never late."""
    made = await put(web, Secret("123456", "x"))
    await change(owner, "update job set queue = :queue", queue=queue)
    await change(owner, _SWITCH, account=0, scope=scope, stopped=stopped)
    await claim(worker, queue, "test_secret")
    found = await job(owner, made)
    assert found.state == state
    if state == "discarded":
        assert found.reason == "mail is stopped"
        assert found.finished_at is not None
        assert "code" not in found.args


async def test_what_is_held_waits_until_it_is_let_go(
    web: Database, worker: Database, owner: Database
) -> None:
    """E2: a visible hold; each is let go once."""
    made = await put(web, Answer("done"))
    free = await put(web, Answer("done"))
    async with worker.transaction() as tx:
        assert await hold(tx, [made or 0], "the provider refuses us") == 1
        assert await hold(tx, [made or 0], "again") == 0
    async with working(worker):
        await in_state(owner, free, "done")
        found = await job(owner, made)
        assert (found.state, found.reason, found.attempts) == ("held", "the provider refuses us", 0)
        async with worker.transaction() as tx:
            assert await let_go(tx, [made or 0, free or 0]) == 1
        async with worker.transaction() as tx:
            assert await let_go(tx, [made or 0]) == 0
        await in_state(owner, made, "done")


async def test_a_job_at_work_is_not_held_under_its_worker(
    web: Database, worker: Database, owner: Database
) -> None:
    """E4: only the holder of the lease decides."""
    made = await put(web, Answer("done"))
    assert [row.id for row in await claim(worker, "build", "test_answer")] == [made]
    async with worker.transaction() as tx:
        assert await hold(tx, [made or 0], "x") == 0
        assert await let_go(tx, [made or 0]) == 0
    assert (await job(owner, made)).state == "leased"
