"""What a site shows beside its posts: archive, tags, pages, sitemap, feeds, and where old addresses lead."""

import re
from datetime import datetime
from xml.etree import ElementTree

import pytest

from app.base.database import Database
from app.posts import add_redirect, unpublish
from app.site import sitemaps
from tests.posts.clients import served
from tests.posts.makers import Desk, make_desk, make_post, publish_post

MAPS = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


async def published(web: Database, desk: Desk, title: str, at: str = "", **more: object) -> None:
    """A live post, dated when told."""
    draft = await make_post(web, desk, title, f"About {title}.", **more)
    await publish_post(web, desk, draft)
    if at:
        async with web.transaction(desk.account_id) as tx:
            await tx.execute(
                "update post set published_at = :at where id = :id",
                at=datetime.fromisoformat(at),
                id=draft.post_id,
            )


async def test_the_archive_goes_by_years_of_the_publications_own_calendar(web: Database) -> None:
    """Half past ten in the evening in UTC is the next year in Auckland."""
    desk = await make_desk(web)
    async with web.transaction(desk.account_id) as tx:
        await tx.execute("update account set zone = 'Pacific/Auckland'")
    await published(web, desk, "Old", "2024-06-01T12:00:00+00:00")
    await published(web, desk, "Midnight", "2025-12-31T22:30:00+00:00")
    async with served(web, desk) as here:
        whole = (await here.site.get("/archive")).text
        assert whole.index('id="year-2026"') < whole.index("Midnight") < whole.index('id="year-2024"')
        one = (await here.site.get("/archive?year=2026")).text
        assert "Midnight" in one
        assert "Old" not in one
        assert "Nothing was published in 2020" in (await here.site.get("/archive?year=2020")).text
        for slip in ("?year=nineteen", "?year=0001", "?year=²⁰²⁵", "?before=rubbish"):
            assert (await here.site.get(f"/archive{slip}")).text == whole


async def test_the_archive_goes_on_by_keyset(web: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Field case K: rows added meanwhile repeat nobody."""
    monkeypatch.setattr("app.site.pages.TITLES_ON_PAGE", 3)
    desk = await make_desk(web)
    for n in range(5):
        await published(web, desk, f"Number {n}")
    async with served(web, desk) as here:
        first = (await here.site.get("/archive")).text
        older = first.split('rel="next" href="')[1].split('"')[0]
        await published(web, desk, "Meanwhile")
        second = (await here.site.get(older)).text
    assert [first.count(f"Number {n}<") + second.count(f"Number {n}<") for n in range(5)] == [1] * 5


async def test_a_tag_lists_its_posts_however_it_is_spelt(web: Database) -> None:
    desk = await make_desk(web)
    await published(web, desk, "One", tags=("Sea Birds",))
    await published(web, desk, "Two", tags=("sea birds", "海"))
    await published(web, desk, "Three")
    async with served(web, desk) as here:
        listed = (await here.site.get("/tag/sea-birds")).text
        assert ">One<" in listed
        assert ">Two<" in listed
        assert ">Three<" not in listed
        assert ">Two<" in (await here.site.get("/tag/海")).text
        assert 'href="/tag/sea-birds"' in (await here.site.get("/one")).text
        for missing in ("/tag/none", "/tag/-", "/tag/%00"):
            answer = await here.site.get(missing)
            assert (answer.status_code, "There is nothing here" in answer.text) == (404, True)


async def test_pages_stand_in_the_navigation_and_in_no_list(web: Database) -> None:
    desk = await make_desk(web)
    await published(web, desk, "A post")
    await published(web, desk, "About us & them", kind="page")
    async with served(web, desk) as here:
        home = (await here.site.get("/")).text
        assert '<a href="/about-us-them">About us &amp; them</a>' in home
        assert "About About us" not in home
        assert "About us" in (await here.site.get("/about-us-them")).text
        for place in ("/feed.xml", "/feed.json"):
            assert "About us" not in (await here.site.get(place)).text
        assert "/about-us-them" in (await here.site.get("/sitemap.xml")).text


async def test_what_a_site_has_is_told_in_one_sitemap_or_an_index_of_parts(
    web: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = await make_desk(web)
    for n in range(5):
        await published(web, desk, f"Number {n}")
    await make_post(web, desk, "A draft")
    async with served(web, desk) as here:
        one = ElementTree.fromstring((await here.site.get("/sitemap.xml")).content)
        assert one.tag == f"{MAPS}urlset"
        listed = [url.findtext(f"{MAPS}loc") for url in one]
        base = "http://tidelines.localhost:8000"
        assert listed == [f"{base}/", f"{base}/archive", *(f"{base}/number-{n}" for n in range(5))]
        assert f"Sitemap: {base}/sitemap.xml" in (await here.site.get("/robots.txt")).text
        monkeypatch.setattr(sitemaps, "ADDRESSES_IN_PART", 2)
        monkeypatch.setattr("app.site.pages.ADDRESSES_IN_PART", 2)
        await published(web, desk, "Number 5")
        index = ElementTree.fromstring((await here.site.get("/sitemap.xml")).content)
        assert index.tag == f"{MAPS}sitemapindex"
        found = []
        for part in index:
            address = part.findtext(f"{MAPS}loc") or ""
            told = ElementTree.fromstring((await here.site.get(address.removeprefix(base))).content)
            found += [url.findtext(f"{MAPS}loc") for url in told]
        assert sorted(found) == sorted([*listed, f"{base}/number-5"])
        for part in ("99", "9" * 5000, "0" * 5000 + "99"):
            assert (await here.site.get(f"/sitemap.xml?part={part}")).status_code == 404


async def test_the_json_feed_says_what_the_rss_says(web: Database) -> None:
    """Version 1.1; field case K: control characters are spared its readers too."""
    desk = await make_desk(web)
    await published(web, desk, "A\x10B", tags=("birds",), cover="/media/x.jpg", cover_alt="A bird")
    async with served(web, desk) as here:
        answer = await here.site.get("/feed.json")
        told = answer.json()
        assert answer.headers["content-type"].startswith("application/feed+json")
        assert told["version"] == "https://jsonfeed.org/version/1.1"
        assert told["feed_url"] == "http://tidelines.localhost:8000/feed.json"
        item = told["items"][0]
        assert item["title"] == "AB"
        assert item["image"] == "http://tidelines.localhost:8000/media/x.jpg"
        assert item["tags"] == ["birds"]
        home, post = (await here.site.get("/")).text, (await here.site.get("/ab")).text
    assert '<img src="/media/x.jpg" alt="">' in home
    assert 'property="og:image" content="http://tidelines.localhost:8000/media/x.jpg"' in post
    assert 'content="summary_large_image"' in post


async def test_an_address_that_moved_leads_on_before_it_is_told_missing(web: Database) -> None:
    """Promise 5; also one in another script, with a slash at its end, or of a post that is gone since."""
    desk = await make_desk(web)
    draft = await make_post(web, desk, "Здесь")
    await publish_post(web, desk, draft)
    gone = await make_post(web, desk, "Never published")
    async with web.transaction(desk.account_id) as tx:
        await add_redirect(tx, "/p/старое", draft.post_id)
        await add_redirect(tx, "/p/gone", gone.post_id)
    async with served(web, desk) as here:
        for asked in ("/p/старое", "/p/старое/"):
            answer = await here.site.get(asked)
            assert answer.status_code == 301
            assert answer.headers["location"] == "/%D0%B7%D0%B4%D0%B5%D1%81%D1%8C"
        assert (await here.site.get("/p/gone")).status_code == 404


async def test_what_was_taken_off_is_nowhere(web: Database) -> None:
    """Promise 5: its own page, lists, feeds and sitemap, at once; the navigation, for a page."""
    desk = await make_desk(web)
    post = await make_post(web, desk, "Taken off", tags=("Tides",))
    kept_page = await make_post(web, desk, "Page off", kind="page")
    for draft in (post, kept_page):
        await publish_post(web, desk, draft)
    places = (
        "/",
        "/archive",
        "/tag/tides",
        "/feed.xml",
        "/feed.json",
        "/sitemap.xml",
        "/taken-off",
        "/page-off",
    )
    async with served(web, desk) as here:
        for place in places:
            assert "off" in (await here.site.get(place)).text, place
        for draft in (post, kept_page):
            async with web.transaction(desk.account_id) as tx:
                await unpublish(tx, draft.post_id, desk.creator_id)
        for place in places:
            answer = await here.site.get(place)
            assert "Taken off" not in answer.text, place
            assert "taken-off" not in answer.text, place
            assert "page-off" not in answer.text, place
            assert answer.status_code == (404 if place in ("/tag/tides", "/taken-off", "/page-off") else 200)


async def test_feeds_are_well_formed_whatever_the_books_hold(web: Database, owner: Database) -> None:
    """Promise 4, at the edge: what an older version or another program wrote is cleaned there too."""
    desk = await make_desk(web)
    await published(web, desk, "Plain", tags=("birds",))
    raw = "A\x10\x07\ufffe ]]> B"
    async with owner.transaction() as tx:
        await tx.execute(
            "update revision set title = :raw, excerpt = :raw, html = :raw, tags = array[cast(:raw as text)]",
            raw=raw,
        )
    async with served(web, desk) as here:
        item = ElementTree.fromstring((await here.site.get("/feed.xml")).content).find("channel/item")
        told = (await here.site.get("/feed.json")).json()["items"][0]
    assert item is not None
    assert item.findtext("title") == told["title"] == "A ]]> B"
    assert item.findtext("category") == told["tags"][0]
    assert told["summary"] == "A ]]> B"


async def test_a_title_from_right_to_left_is_laid_out_so_beside_others(web: Database) -> None:
    desk = await make_desk(web)
    await published(web, desk, "طائر البقويقة")
    async with served(web, desk) as here:
        home = (await here.site.get("/")).text
        address = re.search(r'<h2 dir="auto"><a href="([^"]+)">طائر البقويقة</a>', home)
        assert address
        post = (await here.site.get(address[1])).text
        assert '<h1 dir="auto">طائر البقويقة</h1>' in post
        assert '<div dir="auto" class="body' in post
        assert '<a dir="auto" href=' in (await here.site.get("/archive")).text
