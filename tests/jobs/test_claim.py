"""Claiming: E3, E10, and what is not claimed."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from app.base.database import Database
from app.jobs import enqueue_many, leases, pacing, runner
from app.jobs.queue import Order
from app.jobs.registry import QUEUES, handled_kinds
from app.jobs.runner import last_served
from tests.jobs.kinds import QUEUE, Answer, Hang, HangHere, Note, NoteAbroad, Orphan, Quick
from tests.jobs.makers import change, in_state, job, lines, put, until, working


async def claim(worker: Database, queue: str = QUEUE, **how: Any) -> list[Any]:
    asked = {"after": "", "wanted": 10, "per_share": 4, "most_leases": 6} | how
    async with worker.transaction() as tx:
        return await leases.claim(tx, queue=queue, kinds=handled_kinds(queue), worker="w", **asked)


async def put_many(web: Database, orders: list[Order], account: int = 7) -> None:
    async with web.transaction(account_id=account) as tx:
        await enqueue_many(tx, orders)


async def test_only_known_kinds_are_claimed(web: Database, worker: Database, owner: Database) -> None:
    """A worker of version N leaves what version N + 1 made."""
    unknown = await put(web, Orphan())
    known = await put(web, Answer("done"))
    async with working(worker):
        await in_state(owner, known, "done")
    found = await job(owner, unknown)
    assert (found.state, found.attempts) == ("ready", 0)


async def test_what_comes_shortly_after_a_claim_is_claimed_together(
    web: Database, worker: Database, owner: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At full speed a claim takes several; one that comes after a while waits for nobody."""
    monkeypatch.setattr(runner, "GATHER", 1.4)
    path, gate = str(tmp_path / "notes"), tmp_path / "gate"
    async with working(worker, "webhooks") as loop:
        await in_state(owner, await put(web, NoteAbroad("first", path)), "done")
        later: list[int | None] = []
        for n in range(6):
            later.append(await put(web, NoteAbroad(f"{n}", path, str(gate)), account=7 + n % 2))
            loop.wake()
        for one in later:
            await in_state(owner, one, "leased")
        async with owner.transaction() as tx:
            claims = await tx.value(
                "select count(distinct xmin::text) from job where id = any(:ids)", ids=later
            )
        gate.touch()
        assert claims == 1
        for one in later:
            await in_state(owner, one, "done")


@pytest.mark.parametrize(
    ("rows", "limits", "all_of_it"),
    [
        ("a b b c", {"per_share": 4}, True),
        ("a b b b b c", {"per_share": 4}, False),
        ("a a b", {"per_share": 32, "room": {"a": 2, "b": 4}}, False),
        ("a b", {"per_share": 32, "room": {"a": 2, "b": 4}}, True),
    ],
)
async def test_a_share_that_got_all_it_may_have_may_have_left_something(
    rows: str, limits: dict[str, Any], all_of_it: bool
) -> None:
    assert runner.all_there_was(rows.split(), limits) is all_of_it


async def test_what_is_not_due_is_left(web: Database, worker: Database, owner: Database) -> None:
    later = await put(web, Answer("done"))
    await change(owner, "update job set run_at = godwit_now() + interval '1 hour'")
    assert await claim(worker) == []
    assert (await job(owner, later)).state == "ready"


async def test_what_is_past_its_time_is_discarded_and_never_run(
    web: Database, worker: Database, owner: Database, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    late = await put(web, Note("late", str(log)))
    await change(owner, "update job set expires_at = godwit_now() - interval '1 s'")
    async with working(worker):
        found = await in_state(owner, late, "discarded")
    assert found.reason == "its time had passed"
    assert found.finished_at
    assert lines(log) == []


async def test_no_share_gets_more_than_its_room(web: Database, worker: Database) -> None:
    """E10: at once, and of what is left of its part."""
    await put_many(web, [Order(Answer("done"), share="greedy") for _ in range(50)])
    assert len(await claim(worker, per_share=4, most_leases=6)) == 4
    assert len(await claim(worker, per_share=4, most_leases=6, room={"greedy": 2})) == 2
    assert len(await claim(worker, per_share=4, most_leases=2)) == 2
    for none in (0, -1):
        assert await claim(worker, per_share=4, most_leases=6, room={"greedy": none}) == []


async def test_shares_take_turns(web: Database, worker: Database) -> None:
    """E10: the claim begins after the share last served and goes round."""
    await put_many(web, [Order(Answer("done"), share=share) for share in "abc" for _ in range(6)])
    served = []
    after = ""
    for _ in range(9):
        rows = await claim(worker, after=after, wanted=1, per_share=1, most_leases=100)
        after = last_served(after, [row.share for row in rows])
        served.append(after)
    assert "".join(served) == "abcabcabc"


async def test_the_last_of_many_shares_is_served_in_the_first_round(
    web: Database, worker: Database, owner: Database, tmp_path: Path
) -> None:
    """E10: with two slots, the shares that come first do not keep them."""
    log = tmp_path / "log"
    orders = [Order(Note(share, str(log)), share=share) for share in "abcdef" for _ in range(30)]
    await put_many(web, orders)
    async with working(worker):

        async def some() -> bool:
            return len(lines(log)) > 60

        await until(some)
    first = [line.split()[1] for line in lines(log) if line.startswith("begin")][:12]
    assert Counter(first) == dict.fromkeys("abcdef", 2)


async def test_the_turn_goes_on_from_the_last_share_in_the_round() -> None:
    """Rows come back in any order; b, c, a were served after a."""
    assert last_served("a", ["c", "a", "b"]) == "a"
    assert last_served("b", ["c", "a"]) == "a"
    assert last_served("b", ["a", "c"]) == "a"
    assert last_served("", ["b", "a"]) == "b"
    assert last_served("b", []) == "b"


@pytest.mark.parametrize(
    ("queue", "hangs", "most"),
    [(QUEUE, HangHere(), QUEUES[QUEUE] * 3 // 4), ("webhooks", Hang(), pacing.FIRST)],
)
async def test_handlers_that_never_come_back_leave_room_for_others(
    web: Database, worker: Database, owner: Database, tmp_path: Path, queue: str, hangs: object, most: int
) -> None:
    """E10: no share has more than three quarters of the slots; where strangers are waited for, a few."""
    log = tmp_path / "log"
    await put_many(web, [Order(hangs)] * 20)
    async with working(worker, queue) as loop:

        async def all_hang() -> bool:
            async with owner.transaction() as tx:
                return (await tx.value("select count(*) from job where state = 'leased'")) == most

        await until(all_hang)
        await put(web, Note("quick", str(log)) if queue == QUEUE else Quick("quick", str(log)), account=8)

        async def there() -> bool:
            return any("quick" in line for line in lines(log))

        await until(there, seconds=2)
        async with owner.transaction() as tx:
            assert (
                await tx.value("select count(*) from job where state = 'leased' and account_id = 7") == most
            )
        for task in loop._running:
            task.cancel()
