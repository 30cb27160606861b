"""The desk: saving, with and without a script."""

import asyncio
import time

import httpx
import pytest

from app.base import ids
from app.base.database import Database
from app.posts import Writing, draft_of, save_draft
from tests.posts.clients import served
from tests.posts.makers import make_desk, make_post

HTMX = {"HX-Request": "true"}


def typed(version: int, title: str = "Mine", markdown: str = "my words", **more: str) -> dict[str, str]:
    return {"version": str(version), "title": title, "markdown": markdown, **more}


async def test_a_new_post_is_made_by_its_first_save(web: Database) -> None:
    desk = await make_desk(web)
    async with served(web, desk) as here:
        assert 'name="version" value="0"' in (await here.studio.get("posts/new")).text
        post_id = ids.new()
        saved = await here.studio.post(f"posts/{post_id}/autosave", data=typed(0), headers=HTMX)
        assert saved.status_code == 200
        assert 'data-state="saved" data-version="1"' in saved.text
        second = await here.studio.post(f"posts/{post_id}/autosave", data=typed(0, "Other"), headers=HTMX)
        assert second.status_code == 409
    async with web.transaction(desk.account_id) as tx:
        assert (await draft_of(tx, post_id)).writing == Writing("Mine", "my words")


@pytest.mark.parametrize("path", ["", "/autosave"])
async def test_a_stale_save_shows_both_texts(web: Database, path: str) -> None:
    desk = await make_desk(web)
    draft = await make_post(web, desk)
    async with web.transaction(desk.account_id) as tx:
        await save_draft(tx, draft.post_id, 1, Writing("Theirs", "<their> words"), desk.creator_id)
    async with served(web, desk) as here:
        answer = await here.studio.post(f"posts/{draft.post_id}{path}", data=typed(1))
        assert answer.status_code == 409
        assert "Ana Moreau saved this post while you wrote" in answer.text
        assert "&lt;their&gt; words" in answer.text
        if not path:
            assert "my words" in answer.text
        over = await here.studio.post(f"posts/{draft.post_id}", data=typed(1, over="2"))
        assert over.status_code == 303
    async with web.transaction(desk.account_id) as tx:
        assert (await draft_of(tx, draft.post_id)).writing == Writing("Mine", "my words")


@pytest.mark.parametrize(
    ("data", "status", "words"),
    [
        (typed(1, "t" * 300), 422, "at most 255"),
        (typed(1, "t", "y" * 400_000), 413, "400,000 characters"),
        (typed(1, "t", "a\0b"), 422, "NUL"),
        (typed(1, slug="???"), 422, "needs a letter"),
    ],
)
async def test_what_cannot_be_saved_is_said_beside_the_text(
    web: Database, data: dict[str, str], status: int, words: str
) -> None:
    desk = await make_desk(web)
    draft = await make_post(web, desk)
    async with served(web, desk) as here:
        live = await here.studio.post(f"posts/{draft.post_id}/autosave", data=data, headers=HTMX)
        assert (live.status_code, words in live.text) == (status, True)
        plain = await here.studio.post(f"posts/{draft.post_id}", data=data)
        assert (plain.status_code, words in plain.text) == (status, True)
        assert data["markdown"].replace("\0", "")[:1000] in plain.text
    async with web.transaction(desk.account_id) as tx:
        assert (await draft_of(tx, draft.post_id)).version == 1


async def test_front_matter_fills_the_title_on_the_page(web: Database) -> None:
    desk = await make_desk(web)
    draft = await make_post(web, desk, "")
    async with served(web, desk) as here:
        data = typed(1, "", "---\ntitle: From the file\ntags: [birds]\n---\nText")
        saved = await here.studio.post(f"posts/{draft.post_id}/autosave", data=data, headers=HTMX)
        assert '<hx-partial hx-target="#title" hx-swap="textContent">From the file</hx-partial>' in saved.text
        assert 'value="birds"' in saved.text


async def test_the_list_finds_posts_by_words_and_state(web: Database) -> None:
    desk = await make_desk(web)
    async with served(web, desk) as here:
        assert "Nothing is written yet." in (await here.studio.get("posts")).text
        await make_post(web, desk, "Mudflats & <light>")
        listed = await here.studio.get("posts", params={"q": "mudfl", "state": "draft"})
        assert "Mudflats &amp; &lt;light&gt;" in listed.text
        assert "No post fits" in (await here.studio.get("posts", params={"q": "%"})).text
        assert (await here.studio.get("posts", params={"before": "zz"})).status_code == 422


async def test_a_preview_shows_what_is_typed_and_runs_nothing(web: Database) -> None:
    desk = await make_desk(web)
    draft = await make_post(web, desk)
    async with served(web, desk) as here:
        data = {"title": "T", "markdown": 'Hi {name, "you"} <script>x</script><b onclick=x>b</b>'}
        shown = await here.studio.post(f"posts/{draft.post_id}/preview", data=data, headers=HTMX)
        assert "<p>Hi you <b>b</b></p>" in shown.text
        mail: httpx.Response = await here.studio.get(f"posts/{draft.post_id}/preview/mail")
        assert "sandbox" in mail.headers["content-security-policy"]
        assert "It does not <em>land</em>." in mail.text


async def test_nobody_waits_while_a_long_text_is_rendered(web: Database) -> None:
    """Rendering takes a thread: other requests of the process go on."""
    desk = await make_desk(web)
    draft = await make_post(web, desk)
    long = "Some *words* of a [post](https://example.org) that goes **on**, `code` in it.\n\n" * 1_500
    gaps: list[float] = []

    async def others() -> None:
        while True:
            began = time.monotonic()
            await asyncio.sleep(0.005)
            gaps.append(time.monotonic() - began)

    async with served(web, desk) as here:
        beside = asyncio.create_task(others())
        began = time.monotonic()
        answer = await here.studio.post(f"posts/{draft.post_id}/preview", data=typed(1, "Long", long))
        took = time.monotonic() - began
        await asyncio.sleep(0.01)  # the last gap ends
        beside.cancel()
    assert answer.status_code == 200
    # They had their turns all along; what a library in C or a busy machine holds up for once is let pass.
    assert sum(gap for gap in gaps if gap < 0.1) > took / 4
