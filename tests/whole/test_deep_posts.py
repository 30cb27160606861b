"""A post that would end a process, as it may stand in a database from before: every page takes it."""

from app.base.database import Database
from app.posts import Draft
from tests.posts.clients import served
from tests.posts.makers import make_desk, make_post

DEEP = "<i>" * 19_000 + "x"
"""Some ten thousand deep the inliner of mails ends the process."""


async def stored_long_ago(web: Database, draft: Draft, account: int, text: str) -> None:
    async with web.transaction(account) as tx:
        await tx.execute(
            "update draft set markdown = :text where post_id = :post", text=text, post=draft.post_id
        )


async def test_an_old_draft_that_is_too_deep_is_shown_everywhere_and_saved_nowhere(web: Database) -> None:
    desk = await make_desk(web)
    draft = await make_post(web, desk)
    await stored_long_ago(web, draft, desk.account_id, DEEP)
    here = f"posts/{draft.post_id}"
    async with served(web, desk) as at:
        for path in ("", "/preview", "/preview/mail", "/publish", "/publish/audience"):
            assert (await at.studio.get(here + path)).status_code == 200, path
        typed = {"version": "1", "title": "Deep", "markdown": DEEP}
        assert (await at.studio.post(f"{here}/preview", data=typed)).status_code == 200
        assert (await at.studio.post(f"{here}/test", data={"as": "full"})).status_code in (200, 303)
        for path in ("", "/autosave", "/keep"):
            refused = await at.studio.post(here + path, data=typed)
            assert (refused.status_code, "stand 19,00" in refused.text) == (422, True), path
        refused = await at.api.patch(here, json={"version": 1, "title": "New"})
        assert refused.status_code == 422
        assert "100 are taken" in refused.text
        published = await at.api.post(f"{here}/publish", json={"site": True, "version": 1})
        assert published.status_code == 202
        assert (await at.site.get("/the-bird")).status_code == 200
