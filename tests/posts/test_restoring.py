"""Older releases come back as new ones, posts leave the site, and addresses lead on."""

import asyncio
import re

import httpx
import pytest

from app.base.database import Database
from app.base.errors import Conflict, NotFound
from app.posts import (
    Draft,
    Writing,
    add_redirect,
    freeze,
    live_posts,
    lock_post,
    newest_releases,
    path_of,
    post_line,
    publish_revision,
    redirected,
    release,
    restoration,
    restore_release,
    save_draft,
    unpublish,
)
from tests.posts.clients import Served, served
from tests.posts.makers import Desk, make_desk, make_post, publish_post
from tests.waiting import until


async def edit(web: Database, desk: Desk, draft, title: str, markdown: str = "words", slug: str = ""):
    """Save over the draft, and publish what came of it."""
    async with web.transaction(desk.account_id) as tx:
        saved = await save_draft(
            tx, draft.post_id, draft.version, Writing(title, markdown, slug=slug), desk.creator_id
        )
    await publish_post(web, desk, saved)
    return saved


async def site(web: Database, desk: Desk) -> dict[str, str]:
    """What the site shows: slug → title."""
    async with web.transaction(desk.account_id) as tx:
        return {post.slug: post.title for post in await live_posts(tx)}


async def test_an_older_release_comes_back_as_a_new_one_and_says_what_it_changes(web: Database) -> None:
    """Promise 9."""
    desk = await make_desk(web)
    first = await make_post(web, desk, "First")
    await publish_post(web, desk, first)
    then = await site(web, desk)
    await edit(web, desk, first, "First, better")
    await publish_post(web, desk, await make_post(web, desk, "Second"))
    async with web.transaction(desk.account_id) as tx:
        planned = await restoration(tx, 1)
        made = await restore_release(tx, 1, desk.creator_id, "Ana Moreau")
    assert [(one.title, one.action) for one in planned] == [("First", "updated"), ("Second", "unpublished")]
    assert (made.number, made.restored_from, made.live) == (4, 1, True)
    assert await site(web, desk) == then
    async with web.transaction(desk.account_id) as tx:
        kept = await release(tx, 4)
        assert [change.action for change in kept.changes] == ["updated", "unpublished"]
        assert await restoration(tx, 4) == ()
        with pytest.raises(Conflict, match="as it was at published version 1"):
            await restore_release(tx, 1, None)
        back = await restore_release(tx, 3, None, "API key k")
        assert (back.number, {change.action for change in back.changes}) == (5, {"updated", "published"})
        with pytest.raises(NotFound):
            await restore_release(tx, 77, None)
    assert set(await site(web, desk)) == {"first", "second"}


async def test_two_restores_at_one_instant_make_one_release(web: Database) -> None:
    desk = await make_desk(web)
    draft = await make_post(web, desk, "First")
    await publish_post(web, desk, draft)
    await edit(web, desk, draft, "First, better")

    async def press() -> object:
        async with web.transaction(desk.account_id) as tx:
            return (await restore_release(tx, 1, None)).number

    done = await asyncio.gather(*(press() for _ in range(4)), return_exceptions=True)
    assert sorted(str(one) for one in done if not isinstance(one, Exception)) == ["3"]
    async with web.transaction(desk.account_id) as tx:
        assert [one.number for one in await newest_releases(tx)] == [3, 2, 1]


@pytest.mark.parametrize("act", ["unpublish", "restore"])
async def test_beside_a_publication_of_the_post_it_waits_and_is_done(
    web: Database, owner: Database, act: str
) -> None:
    """Whoever publishes has the post's row before the number: nobody waits for one with the other."""
    desk = await make_desk(web)
    draft = await make_post(web, desk, "First")
    await publish_post(web, desk, draft)
    await edit(web, desk, draft, "First, better")

    async def second() -> int:
        async with web.transaction(desk.account_id) as tx:
            if act == "unpublish":
                return (await unpublish(tx, draft.post_id, None)).number
            return (await restore_release(tx, 1, None)).number

    async def waits() -> bool:
        async with owner.transaction() as tx:
            return await tx.value("select exists (select from pg_locks where not granted)")

    async with web.transaction(desk.account_id) as tx:
        await lock_post(tx, draft.post_id)
        late = asyncio.create_task(second())
        await until(waits)
        assert (await publish_revision(tx, await freeze(tx, draft.post_id, None), None)).number == 3
    assert await late == 4


async def test_a_post_leaves_the_site_by_a_release_and_its_address_waits_for_it(web: Database) -> None:
    """Promises 9 and 10."""
    desk = await make_desk(web)
    draft = await make_post(web, desk, "The bird")
    await publish_post(web, desk, draft)
    async with web.transaction(desk.account_id) as tx:
        made = await unpublish(tx, draft.post_id, desk.creator_id)
        assert [(one.slug, one.action) for one in made.changes] == [("the-bird", "unpublished")]
        assert (await post_line(tx, draft.post_id)).state == "draft"
        assert await redirected(tx, "/the-bird") is None
        with pytest.raises(Conflict, match="not on the site"):
            await unpublish(tx, draft.post_id, None)
        assert len(await newest_releases(tx)) == 2
    assert await site(web, desk) == {}
    await edit(web, desk, draft, "The bird", slug="the-godwit")
    async with web.transaction(desk.account_id) as tx:
        assert await redirected(tx, "/the-bird") == "/the-godwit"


async def test_an_address_that_was_left_leads_on_and_never_in_a_circle(web: Database) -> None:
    """Promise 10: however often a post moves, each old address leads straight to where it stands."""
    desk = await make_desk(web)
    draft = await make_post(web, desk, "One")
    await publish_post(web, desk, draft)
    for slug in ("two", "three", "one"):
        draft = await edit(web, desk, draft, "One", slug=slug)
    async with web.transaction(desk.account_id) as tx:
        assert [await redirected(tx, path) for path in ("/two", "/three", "/one")] == ["/one", "/one", None]


async def test_an_old_address_taken_by_a_new_post_is_that_posts_alone(web: Database) -> None:
    """Promise 10, also after the new post left it, and against an import that names it."""
    desk = await make_desk(web)
    first = await make_post(web, desk, "Tides")
    await publish_post(web, desk, first)
    await edit(web, desk, first, "Tides", slug="tides-of-may")
    second = await make_post(web, desk, "Tides")
    await publish_post(web, desk, second)
    assert await site(web, desk) == {"tides-of-may": "Tides", "tides": "Tides"}
    await edit(web, desk, second, "Tides", slug="tides-of-june")
    async with web.transaction(desk.account_id) as tx:
        await add_redirect(tx, "/tides", first.post_id)
        assert await redirected(tx, "/tides") == "/tides-of-june"
        assert await redirected(tx, "/p/old") is None
        await add_redirect(tx, "/p/old", first.post_id)
        assert await redirected(tx, "/p/old") == "/tides-of-may"


async def test_posts_that_changed_addresses_change_back_in_one_release(web: Database) -> None:
    desk = await make_desk(web)
    one, other = await make_post(web, desk, "One"), await make_post(web, desk, "Other")
    await publish_post(web, desk, one)
    await publish_post(web, desk, other)
    one = await edit(web, desk, one, "One", slug="away")
    await edit(web, desk, other, "Other", slug="one")
    await edit(web, desk, one, "One", slug="other")
    assert await site(web, desk) == {"one": "Other", "other": "One"}
    async with web.transaction(desk.account_id) as tx:
        await restore_release(tx, 2, None)
        assert await redirected(tx, "/away") == "/one"
        assert await redirected(tx, "/one") is None
    assert await site(web, desk) == {"one": "One", "other": "Other"}


@pytest.mark.parametrize("title", ["ا", "ع", "हिन्दी में", "Lasers & feelings", "100 % #1?"])
async def test_a_slug_in_any_script_moves_and_leads_on(web: Database, title: str) -> None:
    """Field case K."""
    desk = await make_desk(web)
    draft = await make_post(web, desk, title)
    made = await publish_post(web, desk, draft)
    slug = made.changes[0].slug
    assert slug
    await edit(web, desk, draft, title, slug="elsewhere")
    async with served(web, desk) as here:
        answer = await here.site.get(path_of(slug))
    assert (answer.status_code, answer.headers["location"].endswith("/elsewhere")) == (301, True)


async def test_an_address_that_was_promised_is_had_or_nothing_goes_live(web: Database) -> None:
    desk = await make_desk(web)
    await publish_post(web, desk, await make_post(web, desk, "Taken"))
    draft = await make_post(web, desk, "Taken")
    with pytest.raises(Conflict, match="Another post stands at /taken"):
        async with web.transaction(desk.account_id) as tx:
            await publish_revision(tx, await freeze(tx, draft.post_id, None), None, slug="taken")
    async with web.transaction(desk.account_id) as tx:
        assert len(await newest_releases(tx)) == 1


async def closed(web: Database, desk: Desk, draft: Draft) -> None:
    """Publish it anew for paying readers alone, below a marker."""
    writing = Writing(draft.title, "Free.\n\n<!--paywall-->\n\nPaid.", access="paid")
    async with web.transaction(desk.account_id) as tx:
        draft = await save_draft(tx, draft.post_id, 1, writing, desk.creator_id)
    await publish_post(web, desk, draft)


async def closed_later(web: Database, desk: Desk) -> None:
    """Version 1 shows a post to everyone, version 2 to paying readers alone."""
    draft = await make_post(web, desk, "The bird")
    await publish_post(web, desk, draft)
    await closed(web, desk, draft)


async def press(here: Served, number: int, **more: str) -> httpx.Response:
    """Restore it by the form on its page, whose fields are sent as they stand there."""
    told = (await here.studio.get(f"releases/{number}")).text
    return await here.studio.post(f"releases/{number}/restore", data=hidden(told) | more)


async def told_after(here: Served, answer: httpx.Response) -> str:
    """The page to which a press led, with what it says of the press."""
    cookies = f"{here.studio.headers['Cookie']}; godwit_flash={answer.cookies['godwit_flash']}"
    page = here.studio.base_url.join(answer.headers["location"])
    return (await here.studio.get(page, headers={"Cookie": cookies})).text


def hidden(told: str) -> dict[str, str]:
    """The hidden fields of the page's form."""
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', told))


async def test_no_older_release_opens_a_post_unless_that_is_said(web: Database) -> None:
    """Promise 9."""
    desk = await make_desk(web)
    await closed_later(web, desk)
    async with web.transaction(desk.account_id) as tx:
        with pytest.raises(Conflict, match="“The bird” would be for everyone and is for paying readers"):
            await restore_release(tx, 1, None)
        assert len(await newest_releases(tx)) == 2
        opened = await restore_release(
            tx, 1, None, opening=[change.post_id for change in await restoration(tx, 1)]
        )
        assert [change.access.kind for change in opened.changes] == ["everyone"]
        back = await restore_release(tx, 2, None)  # what closes a post needs no leave
        assert [change.access.kind for change in back.changes] == ["paid"]


async def test_a_post_that_left_comes_back_no_more_open_than_it_left(web: Database) -> None:
    desk = await make_desk(web)
    await closed_later(web, desk)
    async with web.transaction(desk.account_id) as tx:
        (post,) = await live_posts(tx)
        await unpublish(tx, post.id, None)
        with pytest.raises(Conflict, match="opens 1 post"):
            await restore_release(tx, 1, None)
        assert (await restore_release(tx, 2, None)).changes[0].action == "published"


async def test_page_and_program_tell_what_an_older_release_opens(web: Database) -> None:
    desk = await make_desk(web)
    await closed_later(web, desk)
    async with served(web, desk) as here:
        told = (await here.studio.get("releases/1")).text
        assert "“The bird” would be for everyone, and is for paying readers now." in told
        assert 'name="opens"' in told
        refused = await press(here, 1)
        assert refused.headers["location"].endswith("/releases/1")
        answer = await here.api.post("releases/1/restore")
        assert answer.status_code == 409
        assert "is for paying readers" in answer.json()["detail"]
        for body in ({"open": []}, {"opens": True}, {"opens": ["the-bird"]}):
            assert (await here.api.post("releases/1/restore", json=body)).status_code == 422
        (post,) = [one["field"] for one in answer.json()["errors"]]
        made = await here.api.post("releases/1/restore", json={"opens": [post]})
        assert [(change["post"], change["access"]) for change in made.json()["changes"]] == [
            (post, "everyone")
        ]
        assert (await press(here, 2)).headers["location"].endswith("/releases/4")
        assert (await press(here, 1, opens="1")).headers["location"].endswith("/releases/5")


async def test_what_was_closed_since_somebody_looked_is_not_opened_unasked(web: Database) -> None:
    """Promise 9: a tick holds for what was shown, an id for its post, and neither for what came since."""
    desk = await make_desk(web)
    bird, tide = await make_post(web, desk, "The bird"), await make_post(web, desk, "The tide")
    for draft in (bird, tide):
        await publish_post(web, desk, draft)
    await closed(web, desk, bird)
    async with served(web, desk) as here:
        told = (await here.studio.get("releases/2")).text
        named = (await here.api.post("releases/2/restore")).json()["errors"]
        await closed(web, desk, tide)
        late = await here.studio.post("releases/2/restore", data=hidden(told) | {"opens": "1"})
        assert late.headers["location"].endswith("/releases/2")
        asked = await told_after(here, late)
        assert "Version 4 was published since you looked" in asked
        assert "“The tide” would be for everyone" in asked
        program = await here.api.post("releases/2/restore", json={"opens": [one["field"] for one in named]})
        assert (program.status_code, "opens 1 post: “The tide”" in program.text) == (409, True)
        assert (await press(here, 2, opens="1")).headers["location"].endswith("/releases/5")


@pytest.mark.parametrize("newest", ["", "0", "-1", "one", "9" * 200, "1²"])
async def test_a_press_that_does_not_say_what_was_shown_changes_nothing(web: Database, newest: str) -> None:
    desk = await make_desk(web)
    await closed_later(web, desk)
    async with served(web, desk) as here:
        answer = await here.studio.post("releases/1/restore", data={"opens": "1", "newest": newest})
        assert answer.headers["location"].endswith("/releases/1")
        assert "Nothing was changed" in await told_after(here, answer)
    async with web.transaction(desk.account_id) as tx:
        assert len(await newest_releases(tx)) == 2


@pytest.mark.parametrize("number", ["3000000000", "99999999999999999999", "9" * 5_000, "-1", "0"])
async def test_a_number_that_no_version_has_is_not_there(web: Database, number: str) -> None:
    desk = await make_desk(web)
    draft = await make_post(web, desk)
    async with served(web, desk) as here:
        answers = [
            await here.studio.get(f"releases/{number}"),
            await here.studio.post(f"releases/{number}/restore"),
            await here.studio.get(f"posts/{draft.post_id}/versions/{number}"),
            await here.studio.post(f"posts/{draft.post_id}/versions/{number}/restore", data={"version": "1"}),
            await here.api.get(f"releases/{number}"),
            await here.api.post(f"releases/{number}/restore"),
        ]
    assert {answer.status_code for answer in answers} == {404}


async def test_the_page_of_an_older_version_says_its_size_and_restores_it(web: Database) -> None:
    desk = await make_desk(web)
    draft = await make_post(web, desk, "First")
    await publish_post(web, desk, draft)
    await edit(web, desk, draft, "First, better")
    await publish_post(web, desk, await make_post(web, desk, "Second"))
    async with served(web, desk) as here:
        told = (await here.studio.get("releases/1")).text
        assert "2 posts change: 1 goes back to an older text, 1 leaves the site." in told
        assert "Restore version" not in (await here.studio.get("releases/3")).text
        pressed = [await here.studio.post("releases/1/restore", data=hidden(told)) for _ in range(2)]
        assert pressed[0].headers["location"].endswith("/releases/4")
        assert pressed[1].headers["location"].endswith("/releases/1")
        assert "The site is as it was at published version 1" in await told_after(here, pressed[1])
        assert "brought version 1 back" in (await here.studio.get("releases/4")).text.lower()
        again = await here.studio.post("releases/1/restore")
        assert again.headers["location"].endswith("/releases/1")
        assert "Version 1 was brought back" in (await here.studio.get("releases")).text
        leave = f"posts/{draft.post_id}/unpublish"
        assert "will answer" in (await here.studio.get(leave)).text
        assert (await here.studio.post(leave)).status_code == 303
        assert "is not on the site" in (await here.studio.get(leave)).text
        assert (await here.site.get("/first")).status_code == 404


async def test_the_api_restores_and_lists_what_each_version_did(web: Database) -> None:
    desk = await make_desk(web)
    draft = await make_post(web, desk, "First")
    await publish_post(web, desk, draft)
    await edit(web, desk, draft, "First, better")
    async with served(web, desk) as here:
        made = await here.api.post("releases/1/restore")
        assert (made.status_code, made.json()["number"], made.json()["restored_from"]) == (201, 3, 1)
        assert (await here.api.post("releases/1/restore")).status_code == 409
        assert (await here.api.post("releases/9/restore")).status_code == 404
        listed = (await here.api.get("releases")).json()["items"]
        assert [(one["number"], one["live"], one["restored_from"]) for one in listed] == [
            (3, True, 1),
            (2, False, None),
            (1, False, None),
        ]
        assert (await here.api.get("releases/3")).json()["changes"][0]["action"] == "updated"
