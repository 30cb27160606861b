"""The publish page: what it says, and what a press does."""

import asyncio
import re

from app.base.database import Database
from tests.posts.clients import served
from tests.posts.makers import make_desk, make_post
from tests.publishing.makers import counts, make_readers

#: Name and value of each radio that is chosen.
CHECKED = re.compile(r'<input type="radio" id="[^"]*" name="(\w+)" value="(\w+)" checked')


def hidden(page: str) -> dict[str, str]:
    """The form's hidden fields."""
    return dict(re.findall(r'<input type="hidden"[^>]* name="(\w+)" value="([^"]*)"', page))


async def test_the_button_says_how_many_and_pressing_it_twice_sends_once(web: Database) -> None:
    desk = await make_desk(web)
    await make_readers(web, desk, 3)
    await make_readers(web, desk, 2, "gone", "unsubscribed")
    draft = await make_post(web, desk)
    async with served(web, desk) as here:
        page = (await here.studio.get(f"posts/{draft.post_id}/publish")).text
        assert "Publish and send to 3 readers" in page
        assert "2 unsubscribed" in page
        assert [name for name, value in CHECKED.findall(page)] == ["where", "when"]
        assert ("where", "site") in CHECKED.findall(page)
        form = hidden(page) | {"where": "both"}
        assert form["shown"] == "3"
        pressed = await asyncio.gather(
            *(here.studio.post(f"posts/{draft.post_id}/publish", data=form) for _ in range(2))
        )
        assert [one.status_code for one in pressed] == [303, 303]
        assert pressed[0].headers["location"] == pressed[1].headers["location"]
        again = await here.studio.post(
            f"posts/{draft.post_id}/publish", data=form | {"key": "another", "where": "mail"}
        )
        assert again.status_code == 409
        assert "mailed to Tidelines already" in again.text
        typed = form | {"key": "third", "where": "mail", "again": "Mail everyone again"}
        assert (await here.studio.post(f"posts/{draft.post_id}/publish", data=typed)).status_code == 303
    assert (await counts(web, desk))["broadcast"] == 2


async def test_a_count_that_changed_asks_again_with_the_new_number(web: Database) -> None:
    desk = await make_desk(web)
    await make_readers(web, desk, 3)
    draft = await make_post(web, desk)
    async with served(web, desk) as here:
        form = hidden((await here.studio.get(f"posts/{draft.post_id}/publish")).text) | {"where": "mail"}
        await make_readers(web, desk, 1, "late")
        answer = await here.studio.post(
            f"posts/{draft.post_id}/publish", data=form | {"subject": "Kept <so>"}
        )
        assert answer.status_code == 422
        assert "4 readers will get it now, not 3" in answer.text
        assert "Kept &lt;so&gt;" in answer.text
        form = hidden(answer.text) | {"where": "mail"}
        assert (await here.studio.post(f"posts/{draft.post_id}/publish", data=form)).status_code == 303


async def test_a_press_that_cannot_be_says_why(web: Database) -> None:
    desk = await make_desk(web)
    draft = await make_post(web, desk, "")
    async with served(web, desk) as here:
        page = (await here.studio.get(f"posts/{draft.post_id}/publish")).text
        assert "Give the post a title." in page
        for where, words in (("site", "Give the post a title."), ("", "Choose where it goes")):
            answer = await here.studio.post(
                f"posts/{draft.post_id}/publish", data=hidden(page) | {"where": where}
            )
            assert (answer.status_code, words in answer.text) == (422, True)
        stale = await here.studio.post(
            f"posts/{draft.post_id}/publish", data=hidden(page) | {"where": "site", "version": "9"}
        )
        assert (stale.status_code, "version 1" in stale.text) == (409, True)


async def test_publishing_to_the_site_leads_to_the_published_version(web: Database) -> None:
    desk = await make_desk(web)
    draft = await make_post(web, desk)
    async with served(web, desk) as here:
        form = hidden((await here.studio.get(f"posts/{draft.post_id}/publish")).text) | {"where": "site"}
        answer = await here.studio.post(f"posts/{draft.post_id}/publish", data=form)
        assert answer.headers["location"].endswith("/releases/1")
        assert "Published version 1 is live" in (await here.studio.get("releases/1")).text
        assert "Version 1" in (await here.studio.get("releases")).text
        assert "the-bird" in (await here.site.get("/")).text
