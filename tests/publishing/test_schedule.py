"""Publications at a time to come: frozen, once, at the instant; or failed, and told."""

import asyncio
from datetime import datetime, timedelta
from uuid import UUID

import pytest

from app.base.database import Database
from app.base.errors import Conflict, Invalid
from app.base.zones import Moment, moment_of
from app.jobs import Done, Work, enqueue
from app.jobs.leases import claim
from app.jobs.registry import ClaimedJob
from app.posts import Writing, live_posts, newest_releases, save_draft
from app.publishing import (
    Email,
    Press,
    Publication,
    Scheduled,
    cancel_scheduled,
    move_scheduled,
    publish_due,
    publish_scheduled_now,
    schedule,
    scheduled,
)
from app.publishing.jobs import publish_scheduled
from app.publishing.scheduling import PublishScheduled
from app.readers import newsletters
from tests.posts.makers import Desk, make_desk, make_post, publish_post
from tests.publishing.makers import counts, make_readers, press_of, press_publish

ZONE = "America/New_York"


async def ahead(owner: Database, hours: float) -> None:
    """Move the clock that people schedule by."""
    async with owner.transaction() as tx:
        await tx.execute("update clock set ahead = ahead + :by", by=timedelta(hours=hours))


async def soon(web: Database, hours: int = 3) -> Moment:
    """A wall time so many hours ahead."""
    async with web.transaction() as tx:
        now: datetime = await tx.value("select godwit_now()")
    wall = (now + timedelta(hours=hours)).replace(second=0, microsecond=0, tzinfo=None)
    return moment_of(wall, "UTC")


async def wait_for(web: Database, desk: Desk, press: Press, when: Moment | None = None) -> UUID:
    """Schedule it."""
    when = when or await soon(web)
    async with web.transaction(desk.account_id) as tx:
        return await schedule(tx, press, when)


async def look(web: Database, desk: Desk, scheduled_id: UUID) -> Scheduled:
    """How it stands."""
    async with web.transaction(desk.account_id) as tx:
        return await scheduled(tx, scheduled_id)


async def run(worker: Database, desk: Desk, scheduled_id: UUID) -> None:
    """What the worker does when a job of it comes up."""
    args = PublishScheduled(scheduled_id)
    async with worker.transaction(desk.account_id) as tx:
        await enqueue(tx, args)
    async with worker.transaction() as tx:
        rows = await claim(
            tx,
            queue="build",
            kinds={"publish_scheduled": 1},
            worker="tests",
            after="",
            wanted=1,
            per_share=4,
            most_leases=50,
        )
    assert await publish_scheduled(Work(worker, ClaimedJob(*rows[0][:-1]), lambda: False), args) == Done()


async def test_what_was_frozen_goes_out_at_its_time_and_not_before(
    web: Database, worker: Database, owner: Database
) -> None:
    """Promise 7: saves after it are not in it; the job that comes too early does nothing."""
    desk = await make_desk(web)
    await make_readers(web, desk, 2)
    draft = await make_post(web, desk)
    waits = await wait_for(web, desk, press_of(desk, draft.post_id, email=Email(subject="Hi")))
    async with web.transaction(desk.account_id) as tx:
        await save_draft(tx, draft.post_id, 1, Writing("Later words", "later"), desk.creator_id)
    await run(worker, desk, waits)
    assert await counts(web, desk) == {
        "revision": 1, "release": 0, "broadcast": 0, "mailing": 0, "publication": 0,
    }  # fmt: skip
    await ahead(owner, 4)
    await run(worker, desk, waits)
    await run(worker, desk, waits)
    shown = await look(web, desk, waits)
    assert (shown.state, shown.release, shown.changed_since) == ("done", 1, True)
    async with web.transaction(desk.account_id) as tx:
        assert [post.title for post in await live_posts(tx)] == ["The bird"]
        assert [one.published_by for one in await newest_releases(tx)] == ["Ana Moreau"]
        assert await tx.value("select subject from broadcast") == "Hi"
    assert (await counts(web, desk))["broadcast"] == 1


async def test_two_workers_and_a_person_at_one_instant_publish_once(
    web: Database, worker: Database, owner: Database
) -> None:
    """Promise 7."""
    desk = await make_desk(web)
    await make_readers(web, desk, 2)
    draft = await make_post(web, desk)
    waits = await wait_for(web, desk, press_of(desk, draft.post_id))
    await ahead(owner, 4)

    async def due() -> Publication | None:
        async with worker.transaction(desk.account_id) as tx:
            return await publish_due(tx, waits)

    async def now() -> Publication:
        async with web.transaction(desk.account_id) as tx:
            return await publish_scheduled_now(tx, waits)

    done = await asyncio.gather(due(), due(), now(), due(), now(), return_exceptions=True)
    assert len([one for one in done if isinstance(one, Publication)]) == 1
    assert {type(one).__name__ for one in done} <= {"Publication", "NoneType", "Conflict"}
    assert await counts(web, desk) == {
        "revision": 1, "release": 1, "broadcast": 1, "mailing": 1, "publication": 1,
    }  # fmt: skip


async def test_a_second_press_gets_the_first_answer_and_a_post_waits_once(web: Database) -> None:
    """Promises 2 and 7."""
    desk = await make_desk(web)
    draft = await make_post(web, desk)
    press = press_of(desk, draft.post_id, email=None)
    when = await soon(web)
    ids = await asyncio.gather(*(wait_for(web, desk, press, when) for _ in range(4)))
    assert len(set(ids)) == 1
    with pytest.raises(Conflict, match="This post is scheduled for"):
        await wait_for(web, desk, press_of(desk, draft.post_id, email=None))
    with pytest.raises(Conflict, match="This post is scheduled for"):
        await press_publish(web, press_of(desk, draft.post_id, email=None), desk.account_id)


async def test_the_time_can_be_changed_and_only_the_last_one_counts(
    web: Database, worker: Database, owner: Database
) -> None:
    desk = await make_desk(web)
    draft = await make_post(web, desk)
    waits = await wait_for(web, desk, press_of(desk, draft.post_id, email=None))
    async with web.transaction(desk.account_id) as tx:
        await move_scheduled(tx, waits, await soon(web, 30))
    await ahead(owner, 4)
    await run(worker, desk, waits)
    assert (await look(web, desk, waits)).state == "waiting"
    await ahead(owner, 30)
    await run(worker, desk, waits)
    assert (await look(web, desk, waits)).state == "done"


async def test_what_was_cancelled_never_goes_out(web: Database, worker: Database, owner: Database) -> None:
    desk = await make_desk(web)
    draft = await make_post(web, desk)
    waits = await wait_for(web, desk, press_of(desk, draft.post_id, email=None))
    async with web.transaction(desk.account_id) as tx:
        await cancel_scheduled(tx, waits)
    await ahead(owner, 4)
    await run(worker, desk, waits)
    assert (await look(web, desk, waits)).state == "cancelled"
    async with web.transaction(desk.account_id) as tx:
        with pytest.raises(Conflict, match="was cancelled"):
            await publish_scheduled_now(tx, waits)
        assert await newest_releases(tx) == []


@pytest.mark.parametrize("wrong", ["nobody", "slug", "newsletter", "segment", "address"])
async def test_what_cannot_go_out_at_its_time_fails_visibly_and_the_team_is_told(
    web: Database, worker: Database, owner: Database, wrong: str
) -> None:
    """Promise 7; field case C: an email to nobody is an error."""
    desk = await make_desk(web)
    await make_readers(web, desk, 2)
    draft = await make_post(web, desk)
    async with owner.transaction() as tx:
        segment = await tx.value(
            "insert into segment (account_id, id, name, filter)"
            " values (:a, gen_random_uuid(), 'Some', '{\"source\": \"studio\"}') returning id",
            a=desk.account_id,
        )
    email = Email(segment=segment) if wrong == "segment" else Email()
    waits = await wait_for(web, desk, press_of(desk, draft.post_id, email=email))
    statement, reason = {
        "nobody": ("update subscription set state = 'unsubscribed'", "Nobody would get it"),
        "segment": ("delete from segment", "The segment Some is gone."),
        "address": ("update account set postal_address = ''", "postal address is missing"),
        "newsletter": ('update scheduled set email = email || \'{"newsletter": "x"}\'', "is gone"),
        "slug": ("select 1", "Another post stands at /the-bird"),
    }[wrong]
    if wrong == "slug":
        await publish_post(web, desk, await make_post(web, desk, "The bird"))
    async with owner.transaction() as tx:
        await tx.execute(statement)
    await ahead(owner, 4)
    await run(worker, desk, waits)
    shown = await look(web, desk, waits)
    assert shown.state == "failed"
    assert shown.reason
    assert reason in shown.reason
    made = await counts(web, desk)
    assert (made["broadcast"], made["mailing"]) == (0, 0)
    async with owner.transaction() as tx:
        told = await tx.rows("select args from job where kind = 'send_message'")
    assert ["The bird was not published" in str(one.args) for one in told] == [True]


async def test_what_is_sure_to_be_wrong_is_refused_when_it_is_scheduled(web: Database) -> None:
    """Promise 8; field case C: a newsletter that is not there."""
    desk = await make_desk(web)
    await make_readers(web, desk, 2)
    draft = await make_post(web, desk)
    for email, words in (
        (Email(newsletter="no-such"), "no newsletter"),
        (Email(segment=draft.post_id), "no such segment"),
        (Email(subject="x" * 256), "at most 255"),
    ):
        with pytest.raises(Invalid, match=words):
            await wait_for(web, desk, press_of(desk, draft.post_id, email=email))
    for hours, words in ((-1, "is past"), (24 * 800, "two years")):
        with pytest.raises(Invalid, match=words):
            await wait_for(web, desk, press_of(desk, draft.post_id, email=None), await soon(web, hours))
    await press_publish(web, press_of(desk, draft.post_id), desk.account_id)
    with pytest.raises(Conflict, match="mailed to Tidelines already"):
        await wait_for(web, desk, press_of(desk, draft.post_id))
    async with web.transaction(desk.account_id) as tx:
        assert await tx.value("select count(*) from scheduled") == 0


async def test_the_stored_instant_is_what_counts_not_the_zone_later(web: Database, owner: Database) -> None:
    """Promise 6, field case G: computed once, though the publication moves to another zone."""
    desk = await make_desk(web)
    draft = await make_post(web, desk)
    when = moment_of((await soon(web, 48)).wall, ZONE)
    waits = await wait_for(web, desk, press_of(desk, draft.post_id, email=None), when)
    async with owner.transaction() as tx:
        await tx.execute("update account set zone = 'Asia/Tokyo'")
    shown = await look(web, desk, waits)
    assert (shown.at, shown.zone) == (when.at, ZONE)
    assert shown.wall == when.wall.isoformat(timespec="minutes")
    async with owner.transaction() as tx:
        assert await tx.value("select run_at from job where kind = 'publish_scheduled'") == when.at


async def test_a_newsletter_is_found_again_by_its_id(web: Database) -> None:
    desk = await make_desk(web)
    async with web.transaction(desk.account_id) as tx:
        assert [one.id for one in await newsletters(tx)] == [desk.newsletter_id]
