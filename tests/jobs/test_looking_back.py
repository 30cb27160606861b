"""Claims begin at what was due lately; what is older is looked for beside them: E2, E10."""

import asyncio
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest

from app.base.database import Database
from app.base.settings import settings
from app.base.statements import sql
from app.jobs import leases
from app.jobs.looking_back import BEGINNING, LATE_COMMIT, LookingBack
from app.jobs.queue import Order
from app.jobs.registry import handled_kinds
from app.jobs.runner import QueueLoop
from tests.jobs.kinds import QUEUE, Answer
from tests.jobs.makers import change, in_state, put, working
from tests.jobs.test_claim import claim, put_many
from tests.waiting import until

pytestmark = pytest.mark.usefixtures("accounts")
LONG_AGO = datetime.now(UTC) - timedelta(days=3)


@pytest.fixture
def no_timer(accounts: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker looks when its bell rings, and not before an hour is over."""
    monkeypatch.setenv("GODWIT_SWEEP", "3600")
    settings.cache_clear()


async def looked(loop: QueueLoop) -> None:
    """Wait until the loop knows that nothing old is ready."""

    async def there() -> bool:
        return loop._back.since > LONG_AGO

    await until(there)


@pytest.mark.usefixtures("no_timer")
async def test_what_was_due_long_before_its_commit_is_begun_within_a_second_of_its_ring(
    web: Database, worker: Database, owner: Database
) -> None:
    """E2: the claim that the ring asked for passes it by; the look that follows every ring does not."""
    async with working(worker) as loop:
        await looked(loop)
        for _ in range(3):
            made = await put(web, Answer("done"), run_at=LONG_AGO)
            loop.wake()
            async with asyncio.timeout(2):
                await in_state(owner, made, "done")
            await looked(loop)


@pytest.mark.usefixtures("no_timer")
async def test_a_clock_that_is_set_back_hides_nothing(
    web: Database, worker: Database, owner: Database
) -> None:
    """What is made after that is due before all that was known."""
    await change(owner, "update clock set ahead = interval '8 days'")
    async with working(worker) as loop:
        await looked(loop)
        await change(owner, "update clock set ahead = interval '4 days'")
        for _ in range(3):
            made = await put(web, Answer("done"))
            loop.wake()
            async with asyncio.timeout(2):
                await in_state(owner, made, "done")


@pytest.mark.usefixtures("no_timer")
async def test_what_becomes_due_by_a_clock_set_forward_is_begun(
    web: Database, worker: Database, owner: Database
) -> None:
    async with working(worker) as loop:
        made = await put(web, Answer("done"), run_at=datetime.now(UTC) + timedelta(days=3))
        await looked(loop)
        await change(owner, "update clock set ahead = interval '4 days'")
        loop.wake()
        await in_state(owner, made, "done")


@pytest.mark.usefixtures("no_timer")
async def test_claims_do_not_wait_for_a_look(web: Database, worker: Database, owner: Database) -> None:
    """One that takes very long, as beside a transaction that is open since hours."""
    async with working(worker) as loop:
        await looked(loop)
        loop._back._look = asyncio.Event().wait  # type: ignore[assignment]
        for _ in range(3):
            made = await put(web, Answer("done"))
            loop.wake()
            await in_state(owner, made, "done")


async def test_a_look_that_fails_lets_claims_begin_at_the_beginning_and_is_repeated() -> None:
    answers: list[datetime | Exception] = [LONG_AGO, OSError("the line is cut"), LONG_AGO]
    seen: list[datetime] = []

    async def look() -> datetime:
        seen.append(back.since)
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def over() -> bool:
        return not answers and back.since == LONG_AGO

    back = LookingBack(QUEUE, look, lambda: seen.append(BEGINNING))
    back.ask()
    await until(lambda: _now(len(answers) == 2))
    back.ask()
    await until(over)
    await back.end()
    assert seen == [BEGINNING, LONG_AGO, BEGINNING, BEGINNING]


async def _now(answer: bool) -> bool:
    return answer


async def test_a_look_goes_as_far_back_as_what_is_ready(web: Database, worker: Database) -> None:
    """Also where the oldest is of a share whose turn is not near; never beyond now."""
    margin = timedelta(seconds=LATE_COMMIT)
    async with worker.transaction() as tx:
        before = await tx.value("select godwit_now()")
    await put(web, Answer("done"), run_at=before + timedelta(days=1))
    async with worker.transaction() as tx:
        since = await leases.oldest_ready(tx, QUEUE, LATE_COMMIT)
        assert before - margin <= since <= await tx.value("select godwit_now()") - margin
    await put(web, Answer("done"), run_at=LONG_AGO, share="3")
    async with worker.transaction() as tx:
        assert await leases.oldest_ready(tx, QUEUE, 0) == LONG_AGO


async def test_a_claim_leaves_what_was_due_before(web: Database, worker: Database) -> None:
    old = await put(web, Answer("done"), run_at=LONG_AGO)
    new = await put(web, Answer("done"))
    assert [row.id for row in await claim(worker, since=LONG_AGO + timedelta(hours=1))] == [new]
    assert [row.id for row in await claim(worker)] == [old]


async def test_what_died_beside_an_open_transaction_is_passed_by(
    web: Database, worker: Database, owner: Database
) -> None:
    """E10: it cannot be cleared away, and a claim from then on reads none of it."""
    async with owner.transaction(snapshot=True) as open_for_long:
        await open_for_long.execute("set local idle_in_transaction_session_timeout = 0")
        await open_for_long.value("select 1 from account limit 1")
        await put(web, Answer("done"))  # whose share a claim looks through, lanes and all
        left = await _fetched_by_a_claim(worker, BEGINNING)  # by earlier tests, and not yet cleared away
        await put_many(web, [Order(Answer("done")) for _ in range(1000)])
        async with worker.transaction() as tx:
            await tx.execute("update job set state = 'superseded', reason = 'x', finished_at = godwit_now()")
            since = await tx.value("select godwit_now()")
        made = await put(web, Answer("done"))
        read = {at: await _fetched_by_a_claim(worker, at) for at in (since, BEGINNING)}
        assert [row.id for row in await claim(worker, since=since)] == [made]
    assert read[since] <= left + 10
    assert read[BEGINNING] > 500


async def _fetched_by_a_claim(worker: Database, since: datetime) -> int:
    """Rows that the claim's walk looked up in the table; nothing is claimed."""
    with suppress(Unclaimed):
        async with worker.transaction() as tx:
            for other in ("sort", "bitmapscan", "seqscan"):  # an index in its order tells what it fetches
                await tx.execute(f"set local enable_{other} = off")
            plan = await tx.rows(
                "explain (analyze, buffers, costs off) " + sql("app.jobs", "claim").text,
                queue=QUEUE, known=handled_kinds(QUEUE), lanes=True, room={}, since=since, older=False,
                lease_seconds=60, after="", wanted=10, per_share=4, most_leases=50, worker="w",
            )  # fmt: skip
            told = [row[0].split(":")[1] for row in plan if "Heap Fetches" in row[0]]
            raise Unclaimed
    return sum(int(float(n)) for n in told)


class Unclaimed(Exception):
    """What was claimed is given back."""
