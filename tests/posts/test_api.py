"""Posts and releases in the JSON API, as /api/docs tells them."""

import pytest

from app.base.database import Database
from tests.posts.clients import served
from tests.posts.makers import make_desk, make_post, publish_post


async def test_a_post_is_made_read_and_changed(web: Database) -> None:
    desk = await make_desk(web)
    async with served(web, desk) as here:
        made = await here.api.post("posts", json={"title": "Ünï?", "markdown": "*Hi*", "tags": ["birds"]})
        assert made.status_code == 201
        told = made.json()
        assert {name: told[name] for name in ("title", "slug", "access", "state", "version", "url")} == {
            "title": "Ünï?",
            "slug": "ünï",
            "access": "everyone",
            "state": "draft",
            "version": 1,
            "url": None,
        }
        assert (await here.api.get(f"posts/{told['id']}")).json() == told
        changed = await here.api.patch(f"posts/{told['id']}", json={"version": 1, "title": "New"})
        assert (changed.json()["version"], changed.json()["markdown"]) == (2, "*Hi*")
        stale = await here.api.patch(f"posts/{told['id']}", json={"version": 1, "title": "Newer"})
        assert stale.status_code == 409
        assert "version 2" in stale.json()["detail"]


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({"title": ""}, 422, "Give the post a title."),
        ({"title": "a\0b"}, 422, "NUL"),
        ({"title": "t", "markdown": "\0"}, 422, "NUL"),
        ({"title": "t" * 256}, 422, "255"),
        ({"title": "t", "markdown": "y" * 10_000_000}, 413, "10,000,000 characters"),
        ({"title": "t", "access": "nobody"}, 422, "Access is one of"),
        ({"title": "t", "cover": "x"}, 422, "cover"),
        ({"title": 5}, 422, "a text"),
    ],
)
async def test_what_cannot_be_a_post_is_told_in_words(
    web: Database, body: dict[str, object], status: int, words: str
) -> None:
    desk = await make_desk(web)
    async with served(web, desk) as here:
        answer = await here.api.post("posts", json=body)
        assert answer.status_code == status
        assert answer.headers["content-type"] == "application/problem+json"
        assert words in answer.json()["detail"]
        assert (await here.api.get("posts")).json() == {"items": [], "next": None}


async def test_lists_go_on_where_the_last_page_ended(web: Database) -> None:
    desk = await make_desk(web)
    for n in range(5):
        await publish_post(web, desk, await make_post(web, desk, f"Post {n}"))
    async with served(web, desk) as here:
        for path, name, newest in (("posts", "title", "Post 4"), ("releases", "number", 5)):
            found: list[object] = []
            cursor = ""
            while True:
                page = (await here.api.get(path, params={"limit": 2, "cursor": cursor})).json()
                found += [item[name] for item in page["items"]]
                cursor = page["next"]
                if cursor is None:
                    break
            assert len(found) == len(set(found)) == 5
            assert found[0] == newest
        one = (await here.api.get("releases/5")).json()
        assert one["live"] is True
        assert one["changes"][0]["slug"] == "post-4"
        assert one["changes"][0]["action"] == "published"
        assert (await here.api.get("releases/6")).status_code == 404
        assert (await here.api.get("releases/99999999999")).status_code == 404
        for wrong in ({"limit": 0}, {"limit": 201}, {"cursor": "!"}):
            assert (await here.api.get("posts", params=wrong)).status_code == 422


async def test_another_accounts_post_is_not_there(web: Database) -> None:
    """T1."""
    desk, other = await make_desk(web), await make_desk(web, "elsewhere")
    draft = await make_post(web, other)
    async with served(web, desk) as here:
        assert (await here.api.get(f"posts/{draft.post_id}")).status_code == 404
        assert (await here.studio.get(f"posts/{draft.post_id}")).status_code == 404


async def test_a_post_is_taken_off_the_site_by_a_release_and_only_once(web: Database) -> None:
    desk, other = await make_desk(web), await make_desk(web, "elsewhere")
    draft, foreign = await make_post(web, desk, "A bird"), await make_post(web, other)
    await publish_post(web, other, foreign)
    async with served(web, desk) as here:
        where = f"posts/{draft.post_id}/unpublish"
        early = await here.api.post(where)
        assert (early.status_code, early.json()["detail"]) == (409, "This post is not on the site.")
        await publish_post(web, desk, draft)
        gone = await here.api.post(where)
        assert gone.status_code == 200
        told = gone.json()
        assert (told["number"], told["live"], told["changes"][0]["action"]) == (2, True, "unpublished")
        assert (await here.site.get("/a-bird")).status_code == 404
        assert (await here.api.get(f"posts/{draft.post_id}")).json()["url"] is None
        assert (await here.api.post(where)).status_code == 409
        assert (await here.api.get("releases")).json()["items"][0] == told
        assert (await here.api.post(f"posts/{foreign.post_id}/unpublish")).status_code == 404
    async with served(web, other) as there:
        assert (await there.site.get("/the-bird")).status_code == 200
