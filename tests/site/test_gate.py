"""Field case K: a post kept for some, in every place where words of it could stand (promises 1 and 3)."""

import json
from xml.etree import ElementTree

import pytest

from app.base.database import Database
from app.readers import READER_COOKIE
from tests.posts.clients import served
from tests.posts.makers import make_desk, make_post
from tests.site.readers import KEPT, KINDS, MARKDOWN, OPEN, a_crowd, kept_post

READS = {
    "everyone": {"stranger", "free", "paid", "ended"},
    "subscribers": {"free", "paid", "ended"},
    "paid": {"paid"},
    "plan": {"paid"},
}
#: Every address of a site where a post's words could stand, and whether its open part does.
PLACES = {
    "/where-they-nest": True,
    "/feed.xml": True,
    "/feed.json": True,
    "/": False,
    "/archive": False,
    "/tag/nests": False,
    "/sitemap.xml": False,
    "/nothing-of-the-kind": False,
}


@pytest.mark.parametrize("access", list(READS))
async def test_what_is_kept_is_read_by_those_who_may_and_stands_nowhere_else(
    web: Database, access: str
) -> None:
    """Four kinds of reader, each way that an access has; page and feeds open together, the rest never."""
    desk = await make_desk(web)
    crowd = await a_crowd(web, desk)
    await kept_post(web, desk, access, crowd.plan_id if access == "plan" else None)
    async with served(web, desk) as here:
        for kind in KINDS:
            for place, opens in PLACES.items():
                answer = await here.site.get(place, headers={"Cookie": crowd.cookies[kind]})
                reads = opens and kind in READS[access]
                if access == "everyone" and not opens:
                    continue  # an excerpt may say all of it
                assert (KEPT in answer.text) is reads, (kind, place)
                assert ("kept.example" in answer.text) is reads, (kind, place)
                if opens:
                    assert OPEN in answer.text


async def test_an_invitation_says_what_the_one_who_looks_can_do(web: Database) -> None:
    desk = await make_desk(web)
    crowd = await a_crowd(web, desk)
    for access in ("subscribers", "paid", "plan"):
        await kept_post(web, desk, access, crowd.plan_id if access == "plan" else None)
    async with served(web, desk) as here:
        told = {
            (kind, path): (await here.site.get(path, headers={"Cookie": crowd.cookies[kind]})).text
            for kind in KINDS
            for path in ("/where-they-nest", "/where-they-nest-2", "/where-they-nest-3")
        }
    wants = {
        ("stranger", "/where-they-nest"): ("subscribe", "The rest is for subscribers"),
        ("stranger", "/where-they-nest-2"): ("sign_in", "The rest is for paying readers"),
        ("stranger", "/where-they-nest-3"): ("sign_in", "The rest is for readers with Gold"),
        ("free", "/where-they-nest-2"): ("ask", "reply to any mail"),
        ("ended", "/where-they-nest-3"): ("ask", "Your access does not include it"),
    }
    for which, (want, words) in wants.items():
        assert f'data-state="{want}"' in told[which]
        assert words in told[which]
    assert 'data-state="whole"' in told["free", "/where-they-nest"]
    assert "For Gold" in told["paid", "/where-they-nest-3"]


async def test_a_reader_signed_in_is_shown_a_page_of_their_own(web: Database) -> None:
    """Promise 3: private for any cookie of ours, also one that is nobody's; public and shared without."""
    desk = await make_desk(web)
    crowd = await a_crowd(web, desk)
    await kept_post(web, desk, "paid")
    async with served(web, desk) as here:
        for cookie in (crowd.cookies["paid"], f"a=b; {READER_COOKIE}=nobody's"):
            for path in ("/where-they-nest", "/", "/feed.xml"):
                answer = await here.site.get(path, headers={"Cookie": cookie})
                assert answer.headers["cache-control"] == "private, no-cache"
                assert "etag" not in answer.headers
                assert "set-cookie" not in answer.headers
        other = await here.site.get("/where-they-nest")
        assert other.headers["cache-control"].startswith("public")
        assert other.headers["vary"] == "Cookie"
        assert KEPT not in other.text
        assert "Your page" in (await here.site.get("/", headers={"Cookie": crowd.cookies["free"]})).text


async def test_access_that_ends_closes_the_next_page(web: Database, owner: Database) -> None:
    desk = await make_desk(web)
    crowd = await a_crowd(web, desk)
    await kept_post(web, desk, "paid")
    async with served(web, desk) as here:
        cookie = {"Cookie": crowd.cookies["paid"]}
        assert KEPT in (await here.site.get("/where-they-nest", headers=cookie)).text
        async with owner.transaction() as tx:
            await tx.execute("update entitlement set ends_at = godwit_now() where ends_at is null")
        assert KEPT not in (await here.site.get("/where-they-nest", headers=cookie)).text


async def test_without_a_paywall_nothing_of_it_is_for_everybody(web: Database) -> None:
    desk = await make_desk(web)
    await kept_post(web, desk, "paid", markdown=f"{KEPT} And more.")
    async with served(web, desk) as here:
        for place in PLACES:
            assert "third post" not in (await here.site.get(place)).text, place


async def test_what_search_engines_and_other_sites_are_told_says_that_it_is_not_free(web: Database) -> None:
    desk = await make_desk(web)
    await kept_post(web, desk, "paid", markdown=MARKDOWN.replace(OPEN, f"{OPEN} `</script><b>`"))
    async with served(web, desk) as here:
        page = (await here.site.get("/where-they-nest")).text
    block = page.split('<script type="application/ld+json">')[1].split("</script>")[0]
    told = json.loads(block)
    assert told["isAccessibleForFree"] is False
    assert "</script>" in told["description"]
    assert KEPT not in block
    description = page.split('property="og:description" content="')[1].split('"')[0]
    assert description.startswith("The tide goes out")


async def test_feeds_lead_to_what_they_leave_out(web: Database) -> None:
    desk = await make_desk(web)
    await kept_post(web, desk, "paid")
    async with served(web, desk) as here:
        item = ElementTree.fromstring((await here.site.get("/feed.xml")).content).find("channel/item")
        told = (await here.site.get("/feed.json")).json()["items"][0]
    assert item is not None
    encoded = item.findtext("{http://purl.org/rss/1.0/modules/content/}encoded") or ""
    for body in (encoded, told["content_html"]):
        assert 'href="http://tidelines.localhost:8000/where-they-nest">read on at Tidelines</a>' in body


@pytest.mark.parametrize("access", list(READS))
async def test_programs_are_told_by_the_same_gate(web: Database, access: str) -> None:
    """The API's question for each kind of reader; a post that is not live is not there."""
    desk = await make_desk(web)
    crowd = await a_crowd(web, desk)
    post_id = await kept_post(web, desk, access, crowd.plan_id if access == "plan" else None)
    draft = await make_post(web, desk)
    async with served(web, desk) as here:
        for kind in KINDS:
            asked = {"reader": str(crowd.ids[kind])} if kind in crowd.ids else {}
            told = (await here.api.get(f"posts/{post_id}/reading", params=asked)).json()
            reads = kind in READS[access]
            assert (told["may_read"], KEPT in told["html"], told["invitation"] is None) == (reads,) * 3
            assert OPEN in told["html"]
        missing = [f"posts/{draft.post_id}/reading", f"posts/{post_id}/reading?reader={draft.post_id}"]
        assert [(await here.api.get(one)).status_code for one in missing] == [404, 404]
        assert (await here.api.get(f"posts/{post_id}/reading?reader=anna")).status_code == 422
