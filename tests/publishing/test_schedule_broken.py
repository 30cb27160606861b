"""What becomes of a scheduled publication whose job breaks, dies or is overtaken (promise 7)."""

from datetime import datetime, timedelta
from uuid import UUID

import pytest

from app.base.database import Database
from app.jobs import Continue, Done, Outcome, Work
from app.jobs.leases import claim, expire_leases, settle
from app.jobs.registry import ClaimedJob
from app.jobs.runner import outcome_of, settlement
from app.publishing import move_scheduled
from app.publishing.jobs import end_scheduled, publish_scheduled
from app.publishing.scheduling import EndScheduled, PublishScheduled, due_since, fail_scheduled
from tests.posts.clients import served
from tests.posts.makers import Desk, make_desk, make_post
from tests.publishing.makers import counts, make_readers, press_of
from tests.publishing.test_schedule import ahead, look, soon, wait_for

HANDLERS = {"publish_scheduled": ("build", PublishScheduled), "end_scheduled": ("housekeeping", EndScheduled)}
NOTHING = {"revision": 1, "release": 0, "broadcast": 0, "mailing": 0, "publication": 0}


async def claimed(worker: Database, kind: str) -> ClaimedJob | None:
    """What a worker is given of this kind now."""
    async with worker.transaction() as tx:
        rows = await claim(
            tx,
            queue=HANDLERS[kind][0],
            kinds={kind: 1},
            worker="tests",
            after="",
            wanted=1,
            per_share=4,
            most_leases=50,
        )
    return ClaimedJob(*rows[0][:-1]) if rows else None


async def handled(worker: Database, kind: str, scheduled_id: UUID) -> Outcome:
    """A worker takes the job that is due and handles it; it dies before it can tell."""
    job = await claimed(worker, kind)
    assert job is not None, f"no {kind} is due"
    work = Work(worker, job, lambda: False)
    if kind == "publish_scheduled":
        return await publish_scheduled(work, PublishScheduled(scheduled_id))
    return await end_scheduled(work, EndScheduled(scheduled_id))


async def tried(worker: Database, kind: str) -> bool:
    """A worker takes the job if it is due, handles it and tells what came of it."""
    job = await claimed(worker, kind)
    if job is None:
        return False
    outcome = await outcome_of(Work(worker, job, lambda: False), job)
    async with worker.transaction() as tx:
        await settle(tx, [settlement(job, outcome)], "tests")
    return True


async def workers_died(owner: Database) -> None:
    """All leases have run out, and the sweep has seen it."""
    async with owner.transaction() as tx:
        await tx.execute(
            "update job set leased_until = clock_timestamp() - interval '1 s' where state = 'leased'"
        )
    async with owner.transaction() as tx:
        await expire_leases(tx)


async def told(owner: Database) -> list[str]:
    """The mails to the team."""
    async with owner.transaction() as tx:
        return [str(row.args) for row in await tx.rows("select args from job where kind = 'send_message'")]


@pytest.fixture
async def desk(web: Database) -> Desk:
    made = await make_desk(web)
    await make_readers(web, made, 2)
    return made


@pytest.fixture
async def due(web: Database, owner: Database, desk: Desk) -> UUID:
    """Something whose time has come."""
    waits = await wait_for(web, desk, press_of(desk, (await make_post(web, desk)).post_id))
    await ahead(owner, 4)
    return waits


async def break_it(owner: Database) -> None:
    """What waits raises at every try, as by a fault of ours."""
    async with owner.transaction() as tx:
        await tx.execute("update scheduled set email = email - 'newsletter'")


async def last_try(owner: Database) -> None:
    async with owner.transaction() as tx:
        await tx.execute("""
            update job set attempts = max_attempts - 1
            where kind = 'publish_scheduled' and run_at <= godwit_now()
        """)


async def test_what_breaks_at_every_try_is_failed_by_the_last_and_the_team_is_told(
    web: Database, worker: Database, owner: Database, desk: Desk, due: UUID
) -> None:
    await break_it(owner)
    with pytest.raises(KeyError):
        await handled(worker, "publish_scheduled", due)
    assert (await look(web, desk, due)).state == "waiting"
    await workers_died(owner)
    await last_try(owner)
    assert await handled(worker, "publish_scheduled", due) == Done()
    shown = await look(web, desk, due)
    assert (shown.state, "broke on our side, 19 times" in (shown.reason or "")) == ("failed", True)
    assert ["was not published" in one for one in await told(owner)] == [True]
    assert await counts(web, desk) == NOTHING
    async with served(web, desk) as here:
        page = (await here.studio.get(f"scheduled/{due}")).text
        assert "broke on our side" in page
        assert "broke on our side" in (await here.studio.get("")).text


async def test_what_died_with_its_worker_is_failed_and_the_team_is_told_once(
    web: Database, worker: Database, owner: Database, desk: Desk, due: UUID
) -> None:
    await last_try(owner)
    assert await claimed(worker, "publish_scheduled")
    await workers_died(owner)
    async with owner.transaction() as tx:
        assert await tx.value("select state from job where kind = 'publish_scheduled'") == "dead"
    for _ in range(2):
        assert await handled(worker, "end_scheduled", due) == Done()
        await workers_died(owner)
    shown = await look(web, desk, due)
    assert (shown.state, "its work was cut off" in (shown.reason or "")) == ("failed", True)
    assert len(await told(owner)) == 1
    assert await counts(web, desk) == NOTHING


async def test_nothing_is_failed_while_a_job_still_tries(
    web: Database, worker: Database, owner: Database, desk: Desk, due: UUID
) -> None:
    """Also after days in which no worker ran: both are due at once then."""
    await ahead(owner, 100)
    assert isinstance(await handled(worker, "end_scheduled", due), Continue)
    assert await claimed(worker, "publish_scheduled")
    await workers_died(owner)
    assert isinstance(await handled(worker, "end_scheduled", due), Continue)
    assert (await look(web, desk, due)).state == "waiting"
    assert await handled(worker, "publish_scheduled", due) == Done()
    assert (await look(web, desk, due)).state == "done"


async def test_what_broke_once_is_tried_again_after_its_pause_and_not_given_up_in_it(
    web: Database, worker: Database, owner: Database, desk: Desk, due: UUID
) -> None:
    """What passes meanwhile is published, however late: the last try decides, not the ten minutes."""
    async with owner.transaction() as tx:
        whole = await tx.value("select email from scheduled")
    await break_it(owner)
    assert await tried(worker, "publish_scheduled")
    assert not await tried(worker, "publish_scheduled")  # in its pause
    assert await tried(worker, "end_scheduled")
    assert (await look(web, desk, due)).state == "waiting"
    async with owner.transaction() as tx:
        await tx.execute("update scheduled set email = cast(:whole as jsonb)", whole=whole)
    await ahead(owner, 2)
    assert await tried(worker, "publish_scheduled")
    assert await tried(worker, "end_scheduled")
    assert (await look(web, desk, due)).state == "done"
    assert await told(owner) == []


async def test_the_job_of_a_later_time_that_is_no_more_keeps_nothing_waiting(
    web: Database, worker: Database, owner: Database, desk: Desk
) -> None:
    """It was to go out in four weeks, was brought forward, and died at its new time."""
    post = (await make_post(web, desk)).post_id
    waits = await wait_for(web, desk, press_of(desk, post), await soon(web, 24 * 28))
    async with web.transaction(desk.account_id) as tx:
        await move_scheduled(tx, waits, await soon(web, 2))
    await ahead(owner, 3)
    await last_try(owner)
    assert await claimed(worker, "publish_scheduled")
    await workers_died(owner)
    assert await tried(worker, "end_scheduled")
    assert (await look(web, desk, waits)).state == "failed"


async def test_a_worker_killed_after_it_published_leaves_one_publication_and_no_complaint(
    web: Database, worker: Database, owner: Database, desk: Desk, due: UUID
) -> None:
    assert await handled(worker, "publish_scheduled", due) == Done()
    await workers_died(owner)
    await last_try(owner)
    assert await handled(worker, "publish_scheduled", due) == Done()
    assert await handled(worker, "end_scheduled", due) == Done()
    shown = await look(web, desk, due)
    async with worker.transaction(desk.account_id) as tx:
        assert not await fail_scheduled(tx, due, shown.at, "Too late.")
    assert shown.state == "done"
    assert await counts(web, desk) == dict.fromkeys(NOTHING, 1)
    assert await told(owner) == []


async def test_what_was_moved_meanwhile_is_not_failed_by_the_job_of_its_old_time(
    web: Database, worker: Database, owner: Database, desk: Desk, due: UUID
) -> None:
    async with worker.transaction(desk.account_id) as tx:
        at = await due_since(tx, due)
    assert isinstance(at, datetime)
    when = await soon(web, 2)
    async with web.transaction(desk.account_id) as tx:
        await move_scheduled(tx, due, when)
    for hours in (0, 3):
        await ahead(owner, hours)
        async with worker.transaction(desk.account_id) as tx:
            assert not await fail_scheduled(tx, due, at, "It was in the way.")
        assert (await look(web, desk, due)).state == "waiting"
    async with worker.transaction(desk.account_id) as tx:
        assert await due_since(tx, due) == when.at
        assert not await fail_scheduled(tx, due, when.at + timedelta(seconds=1), "No.")
        assert await fail_scheduled(tx, due, when.at, "Yes.")
