"""Releases: gapless numbers, one slug a post, revisions that do not change."""

import asyncio

import pytest

from app.base.database import Database
from app.base.errors import Invalid
from app.posts import (
    PostsWanted,
    Writing,
    create_post,
    freeze,
    live_post,
    live_posts,
    newest_releases,
    post_line,
    post_lines,
    publish_revision,
    release,
    save_draft,
)
from tests.posts.makers import make_desk, make_post, publish_post


async def test_twenty_publications_at_once_are_numbered_without_a_gap(web: Database) -> None:
    desk = await make_desk(web)
    drafts = [await make_post(web, desk, "The same title") for _ in range(20)]
    made = await asyncio.gather(*(publish_post(web, desk, draft) for draft in drafts))
    assert sorted(one.number for one in made) == list(range(1, 21))
    slugs = {one.changes[0].slug for one in made}
    assert slugs == {"the-same-title"} | {f"the-same-title-{n}" for n in range(2, 21)}


async def test_a_rolled_back_publication_burns_no_number(web: Database) -> None:
    """W1."""
    desk = await make_desk(web)
    draft = await make_post(web, desk)
    async with web.transaction(desk.account_id) as tx:
        await publish_revision(tx, await freeze(tx, draft.post_id, None), None)
        await tx.connection.execute("rollback")
    async with web.transaction(desk.account_id) as tx:
        assert await newest_releases(tx) == []
        assert await live_posts(tx) == []
        assert await tx.value("select count(*) from revision") == 0
    assert (await publish_post(web, desk, draft)).number == 1


async def test_publishing_again_updates_the_post_under_the_same_address(web: Database) -> None:
    desk = await make_desk(web)
    draft = await make_post(web, desk)
    first = await publish_post(web, desk, draft)
    async with web.transaction(desk.account_id) as tx:
        assert (await post_line(tx, draft.post_id)).state == "published"
        draft = await save_draft(tx, draft.post_id, 1, Writing("A new title", "New *words*"), desk.creator_id)
        assert (await post_line(tx, draft.post_id)).state == "changed"
        assert "land" in (await live_post(tx, "the-bird")).html
    second = await publish_post(web, desk, draft)
    assert [first.changes[0].action, second.changes[0].action] == ["published", "updated"]
    async with web.transaction(desk.account_id) as tx:
        live = await live_post(tx, "the-bird")
        assert (live.title, live.html) == ("A new title", "<p>New <em>words</em></p>\n")
        assert live.updated_at is not None
        listed = await newest_releases(tx)
        assert [(one.number, one.live) for one in listed] == [(2, True), (1, False)]
        assert (await release(tx, 1)).changes[0].title == "The bird"
        assert listed[0].published_by == "Ana Moreau"


@pytest.mark.parametrize("title", ["?", "%", "#"])
async def test_a_post_without_a_letter_in_its_title_is_published_all_the_same(
    web: Database, title: str
) -> None:
    desk = await make_desk(web)
    made = await publish_post(web, desk, await make_post(web, desk, title))
    assert made.changes[0].slug.startswith("post-")


async def test_a_slug_that_the_site_needs_itself_is_not_taken(web: Database) -> None:
    desk = await make_desk(web)
    made = await publish_post(web, desk, await make_post(web, desk, "Unsubscribe"))
    assert made.changes[0].slug == "unsubscribe-2"


@pytest.mark.parametrize(
    ("title", "text", "words"),
    [
        ("", "text", "Give the post a title."),
        ("t", " \n ", "no text yet"),
        ("", "---\ntitle: [\n---\ntext", "front matter"),
    ],
)
async def test_what_is_not_ready_is_not_frozen(web: Database, title: str, text: str, words: str) -> None:
    desk = await make_desk(web)
    draft = await make_post(web, desk, title, text)
    with pytest.raises(Invalid, match=words):
        async with web.transaction(desk.account_id) as tx:
            await freeze(tx, draft.post_id, None)


async def test_an_unchanged_draft_is_frozen_once(web: Database) -> None:
    desk = await make_desk(web)
    draft = await make_post(web, desk)
    async with web.transaction(desk.account_id) as tx:
        first = await freeze(tx, draft.post_id, None)
        assert (await freeze(tx, draft.post_id, None)).id == first.id


async def test_the_list_goes_by_keyset_while_posts_are_added(web: Database) -> None:
    """Field case K: nobody appears again on the second page."""
    desk = await make_desk(web)
    made = [await make_post(web, desk, f"Post {n}") for n in range(5)]
    async with web.transaction(desk.account_id) as tx:
        page = await post_lines(tx, PostsWanted(), 3)
        await create_post(tx, Writing("Meanwhile"))
        last = page[-1]
        rest = await post_lines(tx, PostsWanted(older_than=(last.created_at, last.id)), 3)
        assert [line.id for line in page + rest] == [draft.post_id for draft in reversed(made)]
        found = await post_lines(tx, PostsWanted(search="MEAN", state="draft"), 3)
        assert [line.title for line in found] == ["Meanwhile"]
