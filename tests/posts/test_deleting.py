"""A post that never went out can be deleted; one that did stays with its books."""

import asyncio

import pytest

from app.base.database import Database
from app.base.errors import Conflict, NotFound
from app.posts import (
    StaleVersion,
    Writing,
    draft_of,
    freeze,
    keep_version,
    publish_revision,
    save_draft,
    unpublish,
)
from app.posts.deleting import delete_post
from tests.posts.clients import served
from tests.posts.makers import Desk, make_desk, make_post, publish_post

pytestmark = pytest.mark.anyio


async def left(owner: Database, desk: Desk) -> dict[str, int]:
    """How many rows of each table are there."""
    tables = ("post", "draft", "revision")
    async with owner.transaction() as tx:
        return {
            table: await tx.value(f"select count(*) from {table} where account_id = :a", a=desk.account_id)
            for table in tables
        }


async def test_a_draft_goes_with_its_versions_and_no_other(web: Database, owner: Database) -> None:
    desk = await make_desk(web)
    draft, other = await make_post(web, desk), await make_post(web, desk, "Other")
    async with web.transaction(desk.account_id) as tx:
        await keep_version(tx, draft.post_id, draft.version, desk.creator_id)
        await delete_post(tx, draft.post_id, (await draft_of(tx, draft.post_id)).version)
    assert await left(owner, desk) == {"post": 1, "draft": 1, "revision": 0}
    async with web.transaction(desk.account_id) as tx:
        assert (await draft_of(tx, other.post_id)).title == "Other"
        with pytest.raises(NotFound):
            await draft_of(tx, draft.post_id)


async def test_what_somebody_wrote_meanwhile_is_not_deleted_unseen(web: Database) -> None:
    desk = await make_desk(web)
    draft = await make_post(web, desk)
    async with web.transaction(desk.account_id) as tx:
        await save_draft(tx, draft.post_id, draft.version, Writing("The bird", "More."), desk.creator_id)
    with pytest.raises(StaleVersion):
        async with web.transaction(desk.account_id) as tx:
            await delete_post(tx, draft.post_id, draft.version)


async def test_what_was_on_the_site_stays_also_when_it_left(web: Database, owner: Database) -> None:
    desk = await make_desk(web)
    draft = await make_post(web, desk)
    await publish_post(web, desk, draft)
    async with web.transaction(desk.account_id) as tx:
        await unpublish(tx, draft.post_id, desk.creator_id)
    before = await left(owner, desk)
    with pytest.raises(Conflict, match="stays in the books"):
        async with web.transaction(desk.account_id) as tx:
            await delete_post(tx, draft.post_id, draft.version)
    assert await left(owner, desk) == before


async def test_deleted_and_published_at_once_is_one_of_both(web: Database, owner: Database) -> None:
    """Whichever comes first; the other is told, and nothing is half there."""
    desk = await make_desk(web)
    for _ in range(5):
        draft = await make_post(web, desk)

        async def publish(post=draft.post_id) -> None:
            async with web.transaction(desk.account_id) as tx:
                await publish_revision(tx, await freeze(tx, post, desk.creator_id), desk.creator_id)

        async def delete(one=draft) -> None:
            async with web.transaction(desk.account_id) as tx:
                await delete_post(tx, one.post_id, one.version)

        told = await asyncio.gather(publish(), delete(), return_exceptions=True)
        assert [type(one) for one in told].count(type(None)) == 1, told
        assert all(one is None or isinstance(one, Conflict | NotFound) for one in told), told


async def test_by_page_and_by_the_api(web: Database, owner: Database) -> None:
    desk = await make_desk(web)
    first, second, live = [await make_post(web, desk, title) for title in ("First", "Second", "Live")]
    await publish_post(web, desk, live)
    async with served(web, desk) as clients:
        page = await clients.studio.get(f"/posts/{first.post_id}/delete")
        assert "Delete <em>First</em> for good?" in page.text
        stale = await clients.studio.post(f"/posts/{first.post_id}/delete", data={"version": "7"})
        assert stale.headers["location"].endswith("/delete")
        gone = await clients.studio.post(f"/posts/{first.post_id}/delete", data={"version": "1"})
        assert gone.headers["location"].endswith("/posts")
        assert (await clients.studio.get(f"/posts/{first.post_id}/delete")).status_code == 404
        assert (await clients.api.delete(f"/posts/{second.post_id}")).status_code == 204
        assert (await clients.api.delete(f"/posts/{second.post_id}")).status_code == 404
        refused = await clients.api.delete(f"/posts/{live.post_id}")
        assert refused.status_code == 409
        assert "stays in the books" in refused.json()["detail"]
    assert (await left(owner, desk))["post"] == 1


async def test_the_desk_leads_to_it_only_where_it_can_be(web: Database) -> None:
    desk = await make_desk(web)
    draft, live = await make_post(web, desk), await make_post(web, desk, "Live")
    await publish_post(web, desk, live)
    async with served(web, desk) as clients:
        assert f"/posts/{draft.post_id}/delete" in (await clients.studio.get(f"/posts/{draft.post_id}")).text
        assert "/delete" not in (await clients.studio.get(f"/posts/{live.post_id}")).text
        assert "/delete" not in (await clients.studio.get("/posts/new")).text
