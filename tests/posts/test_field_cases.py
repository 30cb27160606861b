"""Faults that products of this kind had (sections F and K), as far as they are the text's."""

from xml.etree import ElementTree

import pytest

from app.base.database import Database
from app.base.fields import fill
from app.posts import LivePost, freeze, live_post, publish_revision
from app.posts.markdown import to_html, to_text
from app.posts.pasting import from_html
from tests.posts.clients import served
from tests.posts.makers import make_desk, make_post

QUERY = "https://example.org/?this=test&that=test2"
HELLO = 'Dear {first_name, "friend"}'


@pytest.mark.parametrize(
    "source",
    [
        f"[words]({QUERY})",
        f"<{QUERY}>",
        f'<a href="{QUERY.replace("&", "&amp;")}">words</a>',
        f'<a href="{QUERY}">w</a>',
        from_html(f'<p><a href="{QUERY.replace("&", "&amp;")}">words</a></p>'),
    ],
    ids=["markdown", "bare", "html", "raw-html", "pasted"],
)
def test_a_link_leads_where_it_was_written_byte_for_byte(source: str) -> None:
    """F: `&` came out as `&amp;` once too often, and readers landed nowhere."""
    assert f'href="{QUERY.replace("&", "&amp;")}"' in to_html(source, fields=False)
    assert QUERY in to_text(source, fields=False)


@pytest.mark.parametrize(
    "source",
    [
        HELLO,
        f"# {HELLO}",
        f"> {HELLO}",
        f"- {HELLO}",
        f"| a |\n|---|\n| {HELLO} |",
        f"**{HELLO}**",
        f"<div>\n{HELLO}\n</div>",
        f":::callout\n{HELLO}\n:::",
        f":::button\n[{HELLO}](https://example.org)\n:::",
        f"Note[^1]\n\n[^1]: {HELLO}",
        f"{HELLO}\n\n<!--paywall-->\n\nmore",
        from_html(f"<p>{HELLO}</p>"),
    ],
)
@pytest.mark.parametrize(
    ("name", "seen"), [("Anna Berg", "Dear Anna"), ("", "Dear friend"), (None, "Dear friend")]
)
def test_a_field_is_filled_in_every_kind_of_block_for_null_and_empty_names(
    source: str, name: str | None, seen: str
) -> None:
    """F: readers saw a placeholder instead of a name; a tag in an HTML block could not be saved."""
    html = fill(to_html(source, fields=True), {"name": name, "email": "a@example.org"}, "html")
    text = fill(to_text(source, fields=True), {"name": name, "email": "a@example.org"}, "text")
    for told in (html, text):
        assert seen in told
        assert "first_name" not in told
        assert "\ufdd0" not in told


@pytest.mark.parametrize("foreign", ["%recipient.replacement_1%", "{{ name }}", "${name}", "*|FNAME|*"])
def test_what_is_no_field_goes_out_as_it_stands(foreign: str) -> None:
    shown = to_html(f"Dear {foreign}!", fields=False)
    assert foreign.replace("*", "").replace("|", "") in shown.replace("*", "").replace("|", "")


async def live(web: Database, title: str, markdown: str) -> LivePost:
    desk = await make_desk(web)
    draft = await make_post(web, desk, title, markdown)
    async with web.transaction(desk.account_id) as tx:
        frozen = await freeze(tx, draft.post_id, None)
        await publish_revision(tx, frozen, None)
        slug = await tx.value("select slug from post where id = :id", id=draft.post_id)
        return await live_post(tx, slug)


@pytest.mark.parametrize("bad", ["A\x10B", "A\x07B", "A\ufffeB", "A\uffffB", "A\x0bB"])
async def test_a_character_that_no_page_may_hold_is_gone_from_all_that_is_read(
    web: Database, bad: str
) -> None:
    """K: one control character made the whole feed invalid."""
    shown = await live(web, bad, f"{bad} and {bad}\n\n```\n{bad}\n```")
    for told in (shown.title, shown.html, shown.excerpt):
        assert "AB" in told
        assert bad not in told


@pytest.mark.parametrize("bad", ["A\0B", "A\ud800B"])
async def test_half_a_character_is_told_and_nothing_typed_is_lost(web: Database, bad: str) -> None:
    desk = await make_desk(web)
    draft = await make_post(web, desk)
    body = f"version=1&title=Kept&markdown=words+{'%00' if chr(0) in bad else '%ED%A0%80'}"
    async with served(web, desk) as here:
        answer = await here.studio.post(
            f"posts/{draft.post_id}",
            content=body,
            headers={"Content-Type": "application/x-www-form-urlencoded"},
        )
    assert answer.status_code == 422
    assert "NUL" in answer.text or "UTF-8" in answer.text or "half a character" in answer.text


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("ا", "ا"),
        ("ع", "ع"),
        ("Lasers & feelings", "lasers-feelings"),
        ("What? 100% #1 / so", "what-100-1-so"),
        ("हिन्दी में", "हिन्दी-में"),
        ("日本語の題", "日本語の題"),
        ("Straße", "straße"),
    ],
)
async def test_a_title_in_any_script_has_a_whole_and_safe_address(
    web: Database, title: str, slug: str
) -> None:
    """K: an alef left an empty slug, an ain a backtick, an ampersand cut the rest off."""
    desk = await make_desk(web)
    draft = await make_post(web, desk, title, "Words")
    async with web.transaction(desk.account_id) as tx:
        await publish_revision(tx, await freeze(tx, draft.post_id, None), None)
        assert await tx.value("select slug from post where id = :id", id=draft.post_id) == slug
    async with served(web, desk) as here:
        assert (await here.site.get(f"/{slug}")).status_code == 200


@pytest.mark.parametrize("bad", ["\x10", "\x07", "\x0b", "\ufffe", "\uffff"])
async def test_a_character_that_no_page_may_hold_comes_by_no_paste(web: Database, bad: str) -> None:
    """K: pasted it is gone at once, and what is pasted can be saved, published and read as a feed."""
    desk = await make_desk(web)
    draft = await make_post(web, desk)
    html = f"<h2>A{bad}B</h2><p>A{bad}B <b>c{bad}d</b></p><pre><code>A{bad}B</code></pre>"
    async with served(web, desk) as here:
        pasted = (await here.studio.post("posts/paste", data={"html": html})).json()["markdown"]
        assert pasted.count("AB") == 3
        assert bad not in pasted
        typed = {"version": "1", "title": f"A{bad}B", "markdown": f"{pasted}\n\nA{bad}B"}
        assert (await here.studio.post(f"posts/{draft.post_id}", data=typed)).status_code == 303
        await here.api.post(f"posts/{draft.post_id}/publish", json={"site": True})
        feed = (await here.site.get("/feed.xml")).content
    assert ElementTree.fromstring(feed).findtext(".//item/title") == "AB"
