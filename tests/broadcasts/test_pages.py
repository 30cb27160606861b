"""The pages of emails: what they say, that their figures add up, that each opens its list."""

import re

import pytest

from app.base.database import Database
from app.readers import unsubscribe
from tests.broadcasts.makers import Studio, a_studio, figures_in, parts_of
from tests.ledger.makers import working
from tests.waiting import until

pytestmark = pytest.mark.anyio


async def finished(studio: Studio, broadcast_id: object) -> str:
    """Let it go out, and answer its page once the books were compared."""

    async def balanced() -> str | None:
        shown = (await studio.page.get(studio.at(f"/broadcasts/{broadcast_id}"))).text
        return shown if 'data-state="balanced"' in shown else None

    async with working(studio.worker):
        return await until(balanced)


async def test_before_anything_left_the_page_says_what_is_going_on(studio: Studio) -> None:
    broadcast_id = await studio.press()
    shown = await studio.page.get(studio.at(f"/broadcasts/{broadcast_id}"))
    assert shown.status_code == 200
    assert "Reading the audience" in shown.text
    assert 'hx-sse:connect="' in shown.text
    assert "Refresh the figures" in shown.text.split("<noscript>")[1].split("</noscript>")[0]
    assert "Ana Moreau pressed send on" in shown.text
    assert "published version 1" in shown.text
    await studio.read_audience(broadcast_id)
    shown = await studio.page.get(studio.at(f"/broadcasts/{broadcast_id}"))
    assert "It is going out: 0 of 12" in shown.text
    assert figures_in(shown.text)["waiting"] == 12


async def test_when_everybody_got_it_the_page_says_so_and_each_figure_opens_its_list(studio: Studio) -> None:
    """L7."""
    broadcast_id = await studio.press()
    shown = await finished(studio, broadcast_id)
    assert "Everybody got it: 12 sent." in shown
    assert "our books and the mailbox's agree" in shown
    assert "hx-sse:connect" not in shown
    figures = figures_in(shown)
    assert parts_of(figures) == figures["audience"] == 12
    lists = re.findall(r'href="([^"]*/sends\?state=(\w+))" data-figure', shown)
    assert {name for _, name in lists} == {"sent", "skipped", "failed", "unknown", "waiting"}
    for href, name in lists:
        opened = await studio.page.get(href)
        assert opened.text.count('<tr role="row" data-id=') == figures[name]
    line = (await studio.page.get(studio.at("/broadcasts"))).text
    assert "Everybody got <em>The bird</em>: 12 sent." in line


async def test_who_leaves_before_their_turn_is_not_mailed_and_the_page_says_why(studio: Studio) -> None:
    """L5, L8."""
    broadcast_id = await studio.press()
    await studio.read_audience(broadcast_id)
    gone = await studio.reader_id("reader3@example.org")
    async with studio.web.transaction(studio.desk.account_id) as tx:
        await unsubscribe(tx, gone, None, "pressed the button")
    shown = await finished(studio, broadcast_id)
    assert "11 of 12 got it; 1 was not mailed." in shown
    left_out = (await studio.page.get(studio.at(f"/broadcasts/{broadcast_id}/sends?state=skipped"))).text
    assert f'data-id="{gone}" data-state="skipped"' in left_out
    assert "unsubscribed" in left_out
    why = studio.at(f"/broadcasts/{broadcast_id}/why")
    told = await studio.page.get(why, params={"address": " Reader3@Example.org "})
    assert "did not get this, because they unsubscribed on" in told.text
    assert "pressed the button" in told.text
    assert (
        "got this: their copy was accepted"
        in (await studio.page.get(why, params={"address": "reader4@example.org"})).text
    )
    never = await studio.page.get(why, params={"address": "nobody@example.org"})
    assert "was never a reader" in never.text
    wrong = await studio.page.get(why, params={"address": "no address"})
    assert wrong.status_code == 422
    assert 'value="no address"' in wrong.text


async def test_the_mail_is_shown_exactly_as_sent_and_can_do_nothing(studio: Studio) -> None:
    broadcast_id = await studio.press(words=WORDS_WITH_MARKUP)
    around = await studio.page.get(studio.at(f"/broadcasts/{broadcast_id}/mail"))
    assert 'sandbox="" src="' in around.text
    body = await studio.page.get(studio.at(f"/broadcasts/{broadcast_id}/mail/body"))
    policy = body.headers["content-security-policy"]
    assert policy.startswith("sandbox; default-src 'none'")
    assert "script-src" not in policy
    assert "<em>land</em>" in body.text
    assert "Hello Anna." in body.text
    assert "%recipient.name%" in body.text
    assert "<script" not in body.text
    nameless = await studio.page.get(studio.at(f"/broadcasts/{broadcast_id}/mail/body?as=nameless"))
    assert "Hello friend." in nameless.text
    assert "/unsubscribe/" not in nameless.text


WORDS_WITH_MARKUP = (
    'Hello {first_name, "friend"}. It does not *land*, %recipient.name% stays.\n\n<script>alert(1)</script>'
)


async def test_another_publication_cannot_open_it(
    studio: Studio, godwit: str, web: Database, worker: Database
) -> None:
    """T1."""
    broadcast_id = await studio.press()
    async with a_studio(godwit, web, worker, slug="other", readers=0) as other:
        for path in ("", "/live", "/sends", "/mail", "/mail/body", "/why"):
            assert (await other.page.get(other.at(f"/broadcasts/{broadcast_id}{path}"))).status_code == 404
        assert (await other.api.get(f"/broadcasts/{broadcast_id}")).status_code == 404
        assert (await other.api.get("/broadcasts")).json() == {"items": [], "next": None}
        assert "No emails yet" in (await other.page.get(other.at("/broadcasts"))).text


@pytest.mark.parametrize("query", ["state=nope", "cursor=nope", "state=sent&cursor=%00"])
async def test_a_list_that_is_asked_for_wrongly_says_what_there_is(studio: Studio, query: str) -> None:
    broadcast_id = await studio.press()
    told = await studio.page.get(studio.at(f"/broadcasts/{broadcast_id}/sends?{query}"))
    assert told.status_code == 422


async def test_the_list_of_copies_pages_through_everybody_once(
    godwit: str, web: Database, worker: Database
) -> None:
    async with a_studio(godwit, web, worker, slug="many", readers=120) as many:
        broadcast_id = await many.press()
        await many.read_audience(broadcast_id)
        seen: list[str] = []
        following = many.at(f"/broadcasts/{broadcast_id}/sends?state=waiting")
        while following:
            shown = (await many.page.get(following)).text
            seen += re.findall(r'<tr role="row" data-id="([^"]+)"', shown)
            older = re.search(r'rel="next" href="([^"]+)"', shown)
            following = older[1].replace("&amp;", "&") if older else ""
        assert len(seen) == len(set(seen)) == 120
