"""A press beside something else of the same moment: the one waits for the other, and nothing is lost."""

import asyncio

import pytest

from app.base.database import Database
from app.base.errors import Conflict
from app.posts import (
    Writing,
    freeze,
    live_posts,
    lock_post,
    lock_with_draft,
    publish_revision,
    release,
    restore_release,
    save_draft,
    unpublish,
)
from app.publishing import publish
from tests.posts.makers import Desk, make_desk, make_post, publish_post
from tests.publishing.makers import counts, make_readers, press_of, press_publish
from tests.waiting import until

_WAITS = """
select exists (select from pg_locks join pg_stat_activity using (pid)
               where not granted and datname = current_database())
"""


async def waits(owner: Database, task: "asyncio.Task[object]") -> None:
    """Until the task stands at a lock, or is done."""

    async def there() -> bool:
        async with owner.transaction() as tx:
            return task.done() or await tx.value(_WAITS)

    await until(there)


async def titles(web: Database, desk: Desk) -> set[str]:
    """What the site shows."""
    async with web.transaction(desk.account_id) as tx:
        return {post.title for post in await live_posts(tx)}


async def test_one_key_for_two_posts_at_one_instant_publishes_one(web: Database, owner: Database) -> None:
    """Both looked and found nothing; the book of presses has each key once."""
    desk = await make_desk(web)
    one, other = await make_post(web, desk, "One"), await make_post(web, desk, "Other")
    async with web.transaction(desk.account_id) as tx:
        await publish(tx, press_of(desk, one.post_id, key="k", email=None))
        press = press_of(desk, other.post_id, key="k", email=None)
        late = asyncio.create_task(press_publish(web, press, desk.account_id))
        await waits(owner, late)
    with pytest.raises(Conflict, match="another post"):
        await late
    assert await titles(web, desk) == {"One"}
    told = await counts(web, desk)
    assert (told["release"], told["publication"]) == (1, 1)


async def test_a_press_waits_for_whoever_has_the_post_before_it_takes_a_number(
    web: Database, owner: Database
) -> None:
    """Else the two would wait for each other."""
    desk = await make_desk(web)
    draft = await make_post(web, desk, "First")
    await publish_post(web, desk, draft)
    async with web.transaction(desk.account_id) as tx:
        await lock_post(tx, draft.post_id)
        press = press_of(desk, draft.post_id, email=None)
        late = asyncio.create_task(press_publish(web, press, desk.account_id))
        await waits(owner, late)
        assert (await unpublish(tx, draft.post_id, None)).number == 2
    assert (await late).release == 3
    assert await titles(web, desk) == {"First"}


async def test_what_is_saved_while_it_is_frozen_is_published_by_the_next_press(
    web: Database, owner: Database
) -> None:
    """It waits, and is newer than what was frozen: by its time the next press knows it as a change."""
    desk = await make_desk(web)
    draft = await make_post(web, desk, "First")

    async def save() -> object:
        async with web.transaction(desk.account_id) as tx:
            return await save_draft(tx, draft.post_id, 1, Writing("Second", "words"), desk.creator_id)

    async with web.transaction(desk.account_id) as tx:
        locked = await lock_with_draft(tx, draft.post_id)
        late = asyncio.create_task(save())
        await waits(owner, late)
        frozen = await freeze(tx, draft.post_id, None, locked=locked)
        await publish_revision(tx, frozen, None)
    await late
    assert await titles(web, desk) == {"First"}
    await press_publish(web, press_of(desk, draft.post_id, email=None), desk.account_id)
    assert await titles(web, desk) == {"Second"}


async def test_a_restore_takes_off_what_another_publishes_meanwhile(web: Database, owner: Database) -> None:
    """Posts promise 9: the site is as it was at that version, with nothing beside."""
    desk = await make_desk(web)
    for title in ("First", "Second"):
        await publish_post(web, desk, await make_post(web, desk, title))
    third = await make_post(web, desk, "Third")

    async def restore() -> object:
        async with web.transaction(desk.account_id) as tx:
            return await restore_release(tx, 1, None)

    async with web.transaction(desk.account_id) as tx:
        await publish_revision(tx, await freeze(tx, third.post_id, None), None)
        late = asyncio.create_task(restore())
        await waits(owner, late)
    await late
    assert await titles(web, desk) == {"First"}


async def test_a_restore_and_a_press_of_what_came_meanwhile_do_not_wait_for_each_other(
    web: Database, owner: Database
) -> None:
    """Posts promise 9: the restore gives its turn back to whoever has a post that it did not know of."""
    desk = await make_desk(web)
    second, third = await make_post(web, desk, "Second"), await make_post(web, desk, "Third")
    for draft in (await make_post(web, desk, "First"), second):
        await publish_post(web, desk, draft)

    async def restore() -> int:
        async with web.transaction(desk.account_id) as tx:
            return (await restore_release(tx, 1, None)).number

    async with web.transaction(desk.account_id) as tx:
        async with owner.transaction() as held:
            await held.execute("select from post where id = :id for update", id=second.post_id)
            late = asyncio.create_task(restore())
            await waits(owner, late)
            await publish_post(web, desk, third)
            await lock_post(tx, third.post_id)
        await waits(owner, late)
        again = await publish_revision(tx, await freeze(tx, third.post_id, None), None)
    assert (again.number, await late) == (4, 5)
    assert await titles(web, desk) == {"First"}


async def test_an_email_names_the_release_that_went_with_it(web: Database) -> None:
    desk = await make_desk(web)
    await make_readers(web, desk, 1)
    draft = await make_post(web, desk)
    other = await make_post(web, desk, "By mail alone")
    await publish_post(web, desk, await make_post(web, desk, "Before"))
    both = await press_publish(web, press_of(desk, draft.post_id), desk.account_id)
    mail = await press_publish(web, press_of(desk, other.post_id, site=False), desk.account_id)
    async with web.transaction(desk.account_id) as tx:
        rows = await tx.rows("select id, release from broadcast")
    assert {row.id: row.release for row in rows} == {both.broadcast_id: 2, mail.broadcast_id: None}


async def test_who_pressed_is_kept_by_name_also_when_it_was_a_program(web: Database) -> None:
    desk = await make_desk(web)
    press = press_of(desk, (await make_post(web, desk)).post_id, email=None)
    await press_publish(web, press, desk.account_id)
    key = press_of(desk, (await make_post(web, desk, "B")).post_id, email=None, by=None, by_name="key Build")
    await press_publish(web, key, desk.account_id)
    async with web.transaction(desk.account_id) as tx:
        assert [(await release(tx, number)).published_by for number in (1, 2)] == ["Ana Moreau", "key Build"]
