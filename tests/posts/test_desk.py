"""The desk as a person meets it: pictures, pasting, earlier versions, two people at once."""

from io import BytesIO
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

import pytest
from PIL import Image

from app.base.database import Database
from app.posts import Writing, draft_of, keep_version, save_draft
from tests.posts.clients import Served, served
from tests.posts.makers import Desk, make_desk, make_post
from tests.posts.test_saving import colleague


def picture() -> tuple[str, bytes, str]:
    Image.new("RGB", (30, 20), "teal").save(body := BytesIO(), "PNG")
    return "tide.png", body.getvalue(), "image/png"


async def stored(web: Database, desk: Desk, post_id: UUID) -> Writing:
    async with web.transaction(desk.account_id) as tx:
        return (await draft_of(tx, post_id)).writing


async def test_a_field_that_a_form_does_not_bring_stays_as_it_is(web: Database) -> None:
    desk = await make_desk(web)
    draft = await make_post(web, desk, access="paid", tags=("a",), kind="page", seo_title="S")
    async with served(web, desk) as here:
        typed = {"version": "1", "title": "T", "markdown": "M"}
        assert (await here.studio.post(f"posts/{draft.post_id}/autosave", data=typed)).status_code == 200
    wanted = Writing("T", "M", tags=("a",), access="paid", kind="page", seo_title="S")
    assert await stored(web, desk, draft.post_id) == wanted


async def test_every_field_of_the_desk_is_saved(web: Database) -> None:
    desk = await make_desk(web)
    draft = await make_post(web, desk)
    typed = {
        "title": "T",
        "markdown": "M",
        "excerpt": "E",
        "slug": "Алеф",
        "tags": "a, b,a",
        "access": "subscribers",
        "plan": "",
        "kind": "page",
        "cover": "https://example.org/c.jpg",
        "cover_alt": "C",
        "seo_title": "S",
        "seo_description": "D",
    }
    async with served(web, desk) as here:
        answer = await here.studio.post(f"posts/{draft.post_id}", data={**typed, "version": "1"})
        assert answer.status_code == 303
        shown = (await here.studio.get(f"posts/{draft.post_id}")).text
    for words in (
        "https://example.org/c.jpg",
        "алеф",
        'value="subscribers" selected',
        'value="page" selected',
    ):
        assert words in shown
    assert (await stored(web, desk, draft.post_id)).seo_description == "D"


async def test_what_two_people_typed_stands_on_the_page_of_whoever_came_second(web: Database) -> None:
    desk = await make_desk(web)
    ben = await colleague(web, desk)
    draft = await make_post(web, desk)
    async with web.transaction(desk.account_id) as tx:
        await save_draft(tx, draft.post_id, 1, Writing("Ben's title", "Ben's text"), ben)
    async with served(web, desk) as here:
        typed = {
            "version": "1",
            "title": "Ana's title",
            "markdown": "Ana's text",
            "tags": "hers",
            "seo_title": "S9",
        }
        answer = await here.studio.post(f"posts/{draft.post_id}", data=typed)
        assert answer.status_code == 409
        for words in (
            "Ana&#39;s title",
            "Ana&#39;s text",
            "hers",
            "S9",
            "Ben&#39;s title",
            "Ben&#39;s text",
            "Ben Okri",
        ):
            assert words in answer.text
        assert 'name="over" value="2"' in answer.text
        answer = await here.studio.post(f"posts/{draft.post_id}", data={**typed, "over": "2"})
        assert answer.status_code == 303
        kept = (await here.studio.get(f"posts/{draft.post_id}/versions/2")).text
    assert "Ben" in kept  # what was written over is an earlier version


async def test_who_else_is_here_is_told_by_the_last_save(web: Database) -> None:
    desk = await make_desk(web)
    ben = await colleague(web, desk)
    draft = await make_post(web, desk)
    where = f"posts/{draft.post_id}"
    async with served(web, desk) as here:
        assert "Ana" not in (await here.studio.get(f"{where}/others?version=1")).text
        async with web.transaction(desk.account_id) as tx:
            await save_draft(tx, draft.post_id, 1, Writing("T", "M"), ben)
        assert "after you began" in (await here.studio.get(f"{where}/others?version=1")).text
        assert "may still be writing" in (await here.studio.get(f"{where}/others?version=2")).text
        assert "Ben Okri" in (await here.studio.get(where)).text


async def test_a_picture_is_added_without_a_script_and_nothing_typed_is_lost(web: Database) -> None:
    desk = await make_desk(web)
    draft = await make_post(web, desk)
    where = f"posts/{draft.post_id}/picture"
    typed = {"version": "1", "title": "T", "markdown": "Typed words", "add": "text"}
    async with served(web, desk) as here:
        asked = await here.studio.post(where, data=typed, files={"image": picture()})
        assert asked.status_code == 422
        assert "Describe the picture" in asked.text
        assert "Typed words" in asked.text
        wrong = await here.studio.post(
            where, data={**typed, "image_alt": "Mud"}, files={"image": ("a.txt", b"hello", "text/plain")}
        )
        assert wrong.status_code == 422
        assert "no picture" in wrong.text
        added = await here.studio.post(
            where, data={**typed, "image_alt": "Mud [wet]"}, files={"image": picture()}
        )
        assert added.status_code == 303
        told = (await stored(web, desk, draft.post_id)).markdown
        assert told.startswith("Typed words\n\n![Mud \\[wet\\]](/media/")
        cover = {**typed, "version": "3", "add": "cover", "image_decorates": "1"}
        assert (await here.studio.post(where, data=cover, files={"image": picture()})).status_code == 303
    assert (await stored(web, desk, draft.post_id)).cover.startswith("/media/")


async def test_a_picture_that_is_dropped_tells_where_it_stands_or_why_not(web: Database) -> None:
    desk = await make_desk(web)
    async with served(web, desk) as here:
        answer = await here.studio.post("posts/pictures", files={"image": picture()})
        assert (await here.site.get(answer.json()["url"])).status_code == 200
        wrong = await here.studio.post(
            "posts/pictures", files={"image": ("a.svg", b"<svg/>", "image/svg+xml")}
        )
        assert (wrong.status_code, "SVG" in wrong.json()["error"]) == (422, True)
        none = await here.studio.post("posts/pictures", data={"x": "y"})
        assert (none.status_code, none.json()) == (422, {"error": "Choose a picture first."})


async def test_pasted_html_comes_back_as_markdown_or_in_words(web: Database) -> None:
    desk = await make_desk(web)
    async with served(web, desk) as here:
        answer = await here.studio.post(
            "posts/paste", data={"html": "<h2>A</h2><p>B <b>c</b></p><img src='file:///x'>"}
        )
        assert answer.json()["markdown"] == "## A\n\nB **c**\n"
        assert answer.json()["lost"].startswith("1 of the pictures")
        much = await here.studio.post("posts/paste", data={"html": "<b>" * 300_000})
        assert (much.status_code, "in parts" in much.json()["error"]) == (413, True)


async def kept_twice(web: Database, desk: Desk, here: Served) -> str:
    """A post of which version 1 is kept, and which says something else now; where it stands."""
    draft = await make_post(web, desk, markdown="The tide comes in at four.\n\nAll is well.")
    where = f"posts/{draft.post_id}"
    typed = {"title": "The bird", "markdown": "The tide comes in at four.\n\nAll is well.", "version": "1"}
    answer = await here.studio.post(f"{where}/keep", data=typed)
    assert answer.status_code == 303
    await here.studio.post(where, data={**typed, "markdown": "The tide comes in at five.\n\nAll is well."})
    return where


async def test_an_earlier_version_is_listed_compared_and_put_back(web: Database) -> None:
    desk = await make_desk(web)
    async with served(web, desk) as here:
        where = await kept_twice(web, desk, here)
        listed = (await here.studio.get(f"{where}/versions")).text
        assert "kept by hand" in listed
        compared = (await here.studio.get(f"{where}/versions/1")).text
        assert "[taken out: </span>four" in compared
        assert "[put in: </span>five" in compared
        stale = await here.studio.post(f"{where}/versions/1/restore", data={"version": "1"})
        assert urlsplit(stale.headers["location"]).path.endswith("/versions/1")
        back = await here.studio.post(f"{where}/versions/1/restore", data={"version": "2"})
        assert back.headers["location"].endswith(where)
        shown = (await here.studio.get(where)).text
        assert "at four" in shown
        assert "2 earlier versions" in shown
        assert "kept before another was restored" in (await here.studio.get(f"{where}/versions")).text


async def test_the_page_of_an_earlier_version_says_who_may_read_it_then(web: Database) -> None:
    desk = await make_desk(web)
    draft = await make_post(web, desk, markdown="One")
    closed = Writing("The bird", "Two\n\n<!--paywall-->\n\nThree", access="paid")
    async with web.transaction(desk.account_id) as tx:
        await keep_version(tx, draft.post_id, 1, desk.creator_id)
        await save_draft(tx, draft.post_id, 1, closed, desk.creator_id)
    async with served(web, desk) as here:
        told = (await here.studio.get(f"posts/{draft.post_id}/versions/1")).text
    assert "It will be for paying readers, as now: it was for everyone then." in told
    assert "no line “Only for those with access”" in told


@pytest.mark.parametrize(
    "path", ["versions/9", "versions/99999999999", "versions?before=-1", "versions?before=x"]
)
async def test_a_version_that_is_not_there_is_no_fault_of_ours(web: Database, path: str) -> None:
    desk = await make_desk(web)
    draft = await make_post(web, desk)
    async with served(web, desk) as here:
        assert (await here.studio.get(f"posts/{draft.post_id}/{path}")).status_code in (200, 400, 404, 422)


async def test_versions_go_by_keyset(web: Database) -> None:
    desk = await make_desk(web)
    draft = await make_post(web, desk)
    async with web.transaction(desk.account_id) as tx:
        for number in range(1, 53):
            await keep_version(tx, draft.post_id, number, desk.creator_id)
            await save_draft(tx, draft.post_id, number, Writing("T", f"M{number}"), desk.creator_id)
    async with served(web, desk) as here:
        first = (await here.studio.get(f"posts/{draft.post_id}/versions")).text
        older = parse_qs(urlsplit(first.split('rel="next" href="')[1].split('"')[0]).query)["before"][0]
        assert older == "3"
        rest = (await here.studio.get(f"posts/{draft.post_id}/versions?before={older}")).text
    assert [f'data-id="{n}"' in rest for n in (1, 2, 3)] == [True, True, False]


async def test_posts_are_found_by_title_address_and_tag(web: Database) -> None:
    desk = await make_desk(web)
    await make_post(web, desk, "Mud", tags=("Wading birds",))
    await make_post(web, desk, "Other", slug="salt-marsh")
    async with served(web, desk) as here:
        for wanted, title in (("mud", "Mud"), ("wading birds", "Mud"), ("salt-m", "Other")):
            listed = (await here.studio.get("posts", params={"q": wanted})).text
            assert f">{title}</a>" in listed
            assert listed.count('data-label="Title"') == 1
