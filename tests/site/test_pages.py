"""The public site: fast to answer again, silent about drafts, well-formed whatever a post holds."""

from urllib.parse import quote
from xml.etree import ElementTree

import pytest

from app.base.database import Database
from app.posts import Writing, save_draft
from tests.posts.clients import served
from tests.posts.makers import make_desk, make_post, publish_post


async def test_home_post_and_feed_show_what_is_published_and_nothing_else(web: Database) -> None:
    desk = await make_desk(web)
    await publish_post(web, desk, await make_post(web, desk, "Mudflats & light", 'Hello {name, "friend"}'))
    await make_post(web, desk, "A secret draft")
    async with served(web, desk) as here:
        home, post = await here.site.get("/"), await here.site.get("/mudflats-light")
        feed = await here.site.get("/feed.xml")
        for answer in (home, post, feed):
            assert answer.status_code == 200
            assert "set-cookie" not in answer.headers
            assert answer.text.count("<script") == answer.text.count('<script type="application/ld+json">')
            assert "secret" not in answer.text
            assert answer.headers["cache-control"].startswith("public")
        assert "Hello friend" in post.text
        assert '<link rel="canonical" href="http://tidelines.localhost' in post.text
        assert 'property="og:title" content="Mudflats &amp; light"' in post.text


@pytest.mark.parametrize("path", ["/", "/the-bird", "/feed.xml"])
async def test_who_has_a_page_already_is_answered_304(web: Database, path: str) -> None:
    desk = await make_desk(web)
    draft = await make_post(web, desk)
    await publish_post(web, desk, draft)
    async with served(web, desk) as here:
        first = await here.site.get(path)
        etag = first.headers["etag"]
        for known in (etag, f"W/{etag}", f'"other", {etag}', "*"):
            again = await here.site.get(path, headers={"If-None-Match": known})
            assert (again.status_code, again.content) == (304, b"")
            assert again.headers["etag"] == etag
        head = await here.site.head(path)
        assert (head.status_code, head.content, head.headers["etag"]) == (200, b"", etag)
        async with web.transaction(desk.account_id) as tx:
            await save_draft(tx, draft.post_id, 1, Writing("The bird", "New words"), desk.creator_id)
        await publish_post(web, desk, draft)
        fresh = await here.site.get(path, headers={"If-None-Match": etag})
        assert (fresh.status_code, "New words" in fresh.text) == (200, True)


async def test_a_feed_is_xml_whatever_a_post_holds(web: Database) -> None:
    """Field case K: 0x07, 0x10, U+FFFE and what looks like the end of CDATA."""
    desk = await make_desk(web)
    draft = await make_post(
        web, desk, "A\x10B \ufffe & <C>", "A\x10B\x07\ufffe\x0b ]]> &nbsp; 🐦", tags=("a\x10&b",)
    )
    await publish_post(web, desk, draft)
    async with served(web, desk) as here:
        feed = await here.site.get("/feed.xml")
    assert feed.headers["content-type"].startswith("application/rss+xml")
    items = ElementTree.fromstring(feed.content).findall("channel/item")
    assert [item.findtext("title") for item in items] == ["AB & <C>"]
    content = items[0].findtext("{http://purl.org/rss/1.0/modules/content/}encoded")
    assert content is not None
    assert "AB ]]&gt;" in content
    assert items[0].findtext("guid") == f"urn:uuid:{draft.post_id}"
    assert items[0].findtext("category") == "a&b"


async def test_links_within_the_site_lead_back_to_it_from_a_feed(web: Database) -> None:
    desk = await make_desk(web)
    await publish_post(web, desk, await make_post(web, desk, "T", "[a](/other) [b](//else.example/x)"))
    async with served(web, desk) as here:
        text = (await here.site.get("/feed.xml")).text
    assert 'href="http://tidelines.localhost:8000/other"' in text
    assert 'href="//else.example/x"' in text


async def test_a_feed_leads_to_the_site_and_names_itself(web: Database) -> None:
    desk = await make_desk(web)
    async with served(web, desk) as here:
        channel = ElementTree.fromstring((await here.site.get("/feed.xml")).content).find("channel")
    assert channel is not None
    assert channel.findtext("link") == "http://tidelines.localhost:8000/"
    itself = channel.find("{http://www.w3.org/2005/Atom}link")
    assert itself is not None
    assert itself.attrib == {"href": "http://tidelines.localhost:8000/feed.xml", "rel": "self"}


async def test_an_empty_site_has_a_home_and_a_feed(web: Database) -> None:
    desk = await make_desk(web)
    async with served(web, desk) as here:
        assert "Nothing is published here yet." in (await here.site.get("/")).text
        ElementTree.fromstring((await here.site.get("/feed.xml")).content)


@pytest.mark.parametrize("title", ["ا", "ع", "Lasers & feelings", "日本語", "?", "100% #1"])
async def test_a_post_in_any_script_is_read_at_its_address(web: Database, title: str) -> None:
    desk = await make_desk(web)
    made = await publish_post(web, desk, await make_post(web, desk, title))
    async with served(web, desk) as here:
        answer = await here.site.get("/" + quote(made.changes[0].slug))
        assert answer.status_code == 200
        assert f"/{quote(made.changes[0].slug)}" in (await here.site.get("/feed.xml")).text


@pytest.mark.parametrize("path", ["/nothing", "/%00", "/%ff", "/a%20b", "/" + "x" * 3000])
async def test_nothing_is_told_as_a_page_of_the_site(web: Database, path: str) -> None:
    desk = await make_desk(web)
    async with served(web, desk) as here:
        answer = await here.site.get(path)
        assert answer.status_code == 404
        assert "There is nothing here" in answer.text
        assert "All of Tidelines" in answer.text


async def test_home_goes_on_by_keyset(web: Database) -> None:
    desk = await make_desk(web)
    for n in range(22):
        await publish_post(web, desk, await make_post(web, desk, f"Post number {n}"))
    async with served(web, desk) as here:
        first = (await here.site.get("/")).text
        older = first.split('rel="next" href="')[1].split('"')[0]
        await publish_post(web, desk, await make_post(web, desk, "Meanwhile"))
        second = (await here.site.get(older)).text
        assert [first.count(f"Post number {n}<") + second.count(f"Post number {n}<") for n in range(22)] == [
            1
        ] * 22
        assert "Meanwhile" in (await here.site.get("/?before=rubbish")).text
