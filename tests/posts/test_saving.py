"""Promise 6: what a save or a restore writes over can be had again."""

from uuid import UUID

import pytest

from app.base import ids
from app.base.database import Database
from app.base.errors import Conflict, Invalid, NotFound
from app.posts import StaleVersion, Writing, create_post, draft_of, keep_version, restore_version, save_draft
from tests.posts.makers import Desk, make_desk, make_post

_KEPT = "select number, markdown, kept_for, created_by from revision where post_id = :post order by number"


async def kept(web: Database, desk: Desk, post_id: UUID) -> list[tuple[int, str, str]]:
    async with web.transaction(desk.account_id) as tx:
        return [(row.number, row.markdown, row.kept_for) for row in await tx.rows(_KEPT, post=post_id)]


async def colleague(web: Database, desk: Desk) -> UUID:
    creator_id = ids.new()
    async with web.transaction() as tx:
        await tx.execute(
            "insert into creator (id, email, name) values (:id, 'ben@example.org', 'Ben Okri')", id=creator_id
        )
    async with web.transaction(desk.account_id) as tx:
        await tx.execute(
            "insert into membership (account_id, creator_id, role) values (:account, :id, 'editor')",
            account=desk.account_id,
            id=creator_id,
        )
    return creator_id


async def save(web: Database, desk: Desk, post_id: UUID, version: int, text: str, by: UUID) -> int:
    async with web.transaction(desk.account_id) as tx:
        return (await save_draft(tx, post_id, version, Writing("The bird", text), by)).version


async def test_what_somebody_else_wrote_is_kept_before_it_is_written_over(web: Database) -> None:
    desk = await make_desk(web)
    ben = await colleague(web, desk)
    draft = await make_post(web, desk, markdown="One")
    await save(web, desk, draft.post_id, 1, "Two", desk.creator_id)
    assert await kept(web, desk, draft.post_id) == []
    await save(web, desk, draft.post_id, 2, "Three", ben)
    assert await kept(web, desk, draft.post_id) == [(1, "Two", "by_itself")]


async def test_hours_of_writing_leave_a_version_now_and_then(web: Database, owner: Database) -> None:
    desk = await make_desk(web)
    draft = await make_post(web, desk, markdown="One")
    async with owner.transaction() as tx:
        await tx.execute("update post set created_at = godwit_now() - interval '11 minutes'")
    await save(web, desk, draft.post_id, 1, "Two", desk.creator_id)
    await save(web, desk, draft.post_id, 2, "Three", desk.creator_id)
    assert await kept(web, desk, draft.post_id) == [(1, "One", "by_itself")]


async def test_a_version_that_was_asked_for_is_kept_once(web: Database) -> None:
    desk = await make_desk(web)
    draft = await make_post(web, desk, markdown="One")
    for _ in range(2):
        async with web.transaction(desk.account_id) as tx:
            await keep_version(tx, draft.post_id, 1, desk.creator_id)
    assert await kept(web, desk, draft.post_id) == [(1, "One", "by_hand")]


async def test_an_empty_page_is_no_version(web: Database) -> None:
    desk = await make_desk(web)
    async with web.transaction(desk.account_id) as tx:
        draft = await create_post(tx, Writing(), desk.creator_id)
    with pytest.raises(Conflict, match="nothing to keep"):
        async with web.transaction(desk.account_id) as tx:
            await keep_version(tx, draft.post_id, 1, desk.creator_id)


async def test_a_restore_keeps_the_present_one_first_and_loses_nothing(web: Database) -> None:
    desk = await make_desk(web)
    draft = await make_post(web, desk, markdown="One", tags=("birds",), seo_title="Search", slug="first")
    async with web.transaction(desk.account_id) as tx:
        await keep_version(tx, draft.post_id, 1, desk.creator_id)
        await save_draft(tx, draft.post_id, 1, Writing("Other", "Two", slug="second"), desk.creator_id)
        restored = await restore_version(tx, draft.post_id, 1, 2, desk.creator_id)
    wanted = Writing("The bird", "One", tags=("birds",), seo_title="Search", slug="second")
    assert (restored.version, restored.writing) == (3, wanted)
    assert await kept(web, desk, draft.post_id) == [(1, "One", "by_hand"), (2, "Two", "before_restore")]


async def test_a_restore_over_a_newer_save_is_refused(web: Database) -> None:
    desk = await make_desk(web)
    draft = await make_post(web, desk, markdown="One")
    async with web.transaction(desk.account_id) as tx:
        await keep_version(tx, draft.post_id, 1, desk.creator_id)
    await save(web, desk, draft.post_id, 1, "Two", desk.creator_id)
    await save(web, desk, draft.post_id, 2, "Three", desk.creator_id)
    with pytest.raises(StaleVersion):
        async with web.transaction(desk.account_id) as tx:
            await restore_version(tx, draft.post_id, 1, 2, desk.creator_id)
    with pytest.raises(NotFound, match="no earlier version 9"):
        async with web.transaction(desk.account_id) as tx:
            await restore_version(tx, draft.post_id, 9, 3, desk.creator_id)
    async with web.transaction(desk.account_id) as tx:
        assert (await draft_of(tx, draft.post_id)).writing.markdown == "Three"


@pytest.mark.parametrize(
    ("then", "now", "after"),
    [
        ("everyone", "paid", "paid"),
        ("paid", "everyone", "paid"),
        ("subscribers", "paid", "paid"),
        ("paid", "subscribers", "paid"),
        ("everyone", "everyone", "everyone"),
    ],
)
async def test_an_earlier_version_lets_nobody_read_who_may_not_now(
    web: Database, then: str, now: str, after: str
) -> None:
    """Promise 9: what was free once is not free again because its words come back; nor the other way."""
    desk = await make_desk(web)
    draft = await make_post(web, desk, markdown="One", access=then)
    async with web.transaction(desk.account_id) as tx:
        await keep_version(tx, draft.post_id, 1, desk.creator_id)
        await save_draft(tx, draft.post_id, 1, Writing("The bird", "Two", access=now), desk.creator_id)
        restored = await restore_version(tx, draft.post_id, 1, 2, desk.creator_id)
    assert (restored.writing.markdown, restored.writing.access) == ("One", after)


async def test_a_version_past_all_numbers_is_not_there(web: Database) -> None:
    desk = await make_desk(web)
    draft = await make_post(web, desk)
    with pytest.raises(NotFound, match="no earlier version 3000000000"):
        async with web.transaction(desk.account_id) as tx:
            await restore_version(tx, draft.post_id, 3_000_000_000, 1, desk.creator_id)


async def test_a_plan_that_is_not_there_is_refused(web: Database) -> None:
    desk = await make_desk(web)
    with pytest.raises(Invalid, match="no such plan"):
        await make_post(web, desk, access="plan", plan_id=ids.new())
    with pytest.raises(Invalid, match="Choose the plan"):
        await make_post(web, desk, access="plan")
