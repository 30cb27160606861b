"""What is kept of a site: for how long, for whom, and what ends it (promises 2 and 7)."""

import asyncio

import pytest

from app.base import clock
from app.base.database import Database
from app.base.errors import Unavailable
from app.base.settings import settings
from app.posts import Writing, save_draft
from app.site import editions_in
from app.site.editions import Editions
from tests.posts.clients import _application, served
from tests.posts.makers import make_desk, make_post, publish_post
from tests.waiting import until


def rendering(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The templates rendered from here on."""
    from app.site import pages

    made: list[str] = []
    whole = pages.rendered

    def noted(template: str, **context: object) -> str:
        made.append(template)
        return whole(template, **context)

    monkeypatch.setattr(pages, "rendered", noted)
    return made


async def test_a_page_is_rendered_once_for_a_release_and_anew_after_the_next(
    web: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = await make_desk(web)
    draft = await make_post(web, desk)
    await publish_post(web, desk, draft)
    made = rendering(monkeypatch)
    async with served(web, desk) as here:
        for asked in ("/the-bird", "/the-bird", "/the-bird?utm_source=a", "/the-bird/", "/the-bird"):
            assert (await here.site.get(asked)).status_code == 200
        assert made == ["themes/plain/post.html"]
        async with web.transaction(desk.account_id) as tx:
            await save_draft(tx, draft.post_id, 1, Writing("The bird", "New words"), desk.creator_id)
        assert "New words" not in (await here.site.get("/the-bird")).text
        assert len(made) == 1
        await publish_post(web, desk, draft)
        assert "New words" in (await here.site.get("/the-bird")).text
        assert len(made) == 2


async def test_an_address_with_a_question_mark_in_its_path_is_no_kept_page(web: Database) -> None:
    """`%3F` is a letter of a path: what was kept for a query of another page is not what stands there."""
    desk = await make_desk(web)
    await publish_post(web, desk, await make_post(web, desk))
    async with served(web, desk) as here:
        year = clock.now().year
        for asked in (f"/archive?year={year}", f"/archive?year={year}"):
            assert (await here.site.get(asked)).status_code == 200
        for query in (f"year={year}", f"year={year}&before=", f"{year}&", "part=1"):
            for path in ("/archive", "/sitemap.xml", "/"):
                asked = f"{path}%3F{query.replace('&', '%26')}"
                assert (await here.site.get(asked)).status_code == 404, asked


@pytest.mark.parametrize(
    ("change", "shows"),
    [
        ("update account set name = 'Ebb and Flow'", "Ebb and Flow"),
        ("update newsletter set name = 'Letters by the ebb'", "Letters by the ebb"),
        ("update account set description = 'All about mud.'", "All about mud."),
    ],
)
async def test_a_change_of_the_settings_is_seen_at_once(web: Database, change: str, shows: str) -> None:
    """Without a release."""
    desk = await make_desk(web)
    async with served(web, desk) as here:
        before = await here.site.get("/")
        assert shows not in before.text
        async with web.transaction(desk.account_id) as tx:
            await tx.execute(change)
        after = await here.site.get("/", headers={"If-None-Match": before.headers["etag"]})
        assert (after.status_code, shows in after.text) == (200, True)


async def test_what_another_process_publishes_is_seen_within_a_moment(web: Database, owner: Database) -> None:
    """The owner's pool stands for the other process: nothing here hears of its commit."""
    desk = await make_desk(web)
    async with served(web, desk) as here:
        await here.site.get("/")
        async with owner.transaction() as tx:
            await tx.execute("update account set name = 'Ebb' where id = :id", id=desk.account_id)

        async def seen() -> bool:
            return "<h1>Ebb</h1>" in (await here.site.get("/")).text

        await until(seen, seconds=2)


async def test_a_thousand_who_ask_at_once_cost_one_look(
    web: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = await make_desk(web)
    async with served(web, desk) as here:
        await here.site.get("/")
        looks = 0
        look = Editions._look

        async def counted(self: Editions, *words: object) -> object:
            nonlocal looks
            looks += 1
            return await look(self, *words)  # type: ignore[arg-type]

        monkeypatch.setattr(Editions, "_look", counted)
        editions = editions_in(_application().site.state)
        monkeypatch.setattr("app.site.editions.LOOK", -1)
        await asyncio.gather(*(editions.current(desk.slug) for _ in range(1000)))
        assert looks == 1


async def test_while_the_database_is_away_what_is_kept_is_shown(
    web: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Promise 7: what is not kept is told so in words."""
    desk = await make_desk(web)
    await publish_post(web, desk, await make_post(web, desk))
    async with served(web, desk) as here:
        assert (await here.site.get("/")).status_code == 200
        editions = editions_in(_application().site.state)

        async def away(account_id: int, **how: object) -> object:
            raise Unavailable("away")

        monkeypatch.setattr(editions.reading, "_begun", away)
        monkeypatch.setattr("app.site.editions.LOOK", 0)
        for _ in range(3):
            assert "Tidelines" in (await here.site.get("/")).text
        assert (await here.site.get("/the-bird")).status_code == 503


async def test_a_look_that_takes_too_long_is_told_in_words(web: Database) -> None:
    desk = await make_desk(web)
    editions = Editions(web)
    with pytest.raises(Unavailable, match="did not answer in time"):  # noqa: PT012 - the look is the act
        async with editions.look(desk.account_id) as tx:
            await tx.execute("set local statement_timeout = 20")
            await tx.value("select pg_sleep(5)")
    async with editions.look(desk.account_id) as tx:
        assert await tx.value("select 1") == 1
    await editions.reading.close()


async def test_the_least_used_pages_make_room(web: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.site.editions.MOST_BYTES", 12_000)
    desk = await make_desk(web)
    for n in range(4):
        await publish_post(web, desk, await make_post(web, desk, f"Post {n}", "word " * 300))
    async with served(web, desk) as here:
        for n in range(4):
            await here.site.get(f"/post-{n}")
    editions = editions_in(_application().site.state)
    assert editions._bytes <= 12_000
    assert [key for _, key in editions._pages][-1] == ("/post-3", "")
    assert ("/post-0", "") not in [key for _, key in editions._pages]


async def test_what_was_closed_is_gone_and_its_name_may_be_anothers(web: Database, owner: Database) -> None:
    desk = await make_desk(web)
    async with served(web, desk) as here:
        assert (await here.site.get("/")).status_code == 200
        async with owner.transaction() as tx:
            await tx.execute(
                "update account set state = 'closed', slug = 'gone' where id = :id", id=desk.account_id
            )

        async def gone() -> bool:
            return (await here.site.get("/")).status_code == 404

        await until(gone, seconds=2)
        other = await make_desk(web, "other")
        async with owner.transaction() as tx:
            await tx.execute(
                "update account set slug = 'tidelines', name = 'New' where id = :id", id=other.account_id
            )
        assert "<h1>New</h1>" in (await here.site.get("/")).text
    assert settings().mode == "testing"
