"""Posts as HTML and as text: whole, safe, and bounded."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.base.errors import Invalid, TooLarge
from app.base.fields import fill, marked
from app.posts import markdown
from app.posts.markdown import excerpt, front_matter, minutes, misspelt_fields, sanitised, to_html, to_text

LONG = (Path(__file__).parents[1] / "data/post-long.md").read_text("utf-8")
READER = {"name": "Zoë <b> Smith", "email": "zoe@example.com"}


def mailed(text: str) -> str:
    return fill(to_html(text, fields=True), READER, "html")


def test_the_long_post_is_whole_in_html() -> None:
    """Issue 2: everything in it arrives, escaped once."""
    page = to_html(LONG, fields=False)
    for piece in [
        "literal %recipient.name% and a literal {{ name }}, which",
        'Prices &amp; promises: 5 &lt; 7, "quotes", an emoji 🐦, an accent é, a right-to-left word سلام',
        '<a href="https://example.com/paper?a=1&amp;b=2#results" rel="noopener">Read the paper</a>',
        '<a href="mailto:hello@example.com" rel="noopener">write to me</a>',
        '<td align="right">13,560 km</td>',
        '<code class="language-python">def arrived(leg):\n    return leg.distance &lt;= leg.fuel * 1.0',
        '<img src="https://example.com/godwit.jpg" alt="A wader on a mudflat" title="Waiting for the tide">',
        "<em>shrinks</em>",
        "Hello friend, thank you",
    ]:
        assert piece in page
    assert "title:" not in page
    assert "Hello Zoë, thank you" in mailed(LONG)


def test_the_long_post_is_readable_as_text() -> None:
    text = to_text(LONG, fields=False)
    for piece in [
        "literal %recipient.name% and a literal {{ name }}, which must arrive exactly as written.",
        'Prices & promises: 5 < 7, "quotes", an emoji 🐦, an accent é, a right-to-left word سلام',
        "Read the paper (https://example.com/paper?a=1&b=2#results) or write to me (hello@example.com).",
        "Alaska → Tasmania        | 13,560 km | 11\n",
        "[A wader on a mudflat]",
        "    def arrived(leg):\n        return leg.distance <= leg.fuel * 1.0",
        '> "There is no second try over open water."',
        "2. You spend only what you have.",
        "Hello friend, thank you",
    ]:
        assert piece in text


def test_front_matter_and_excerpt_of_the_long_post() -> None:
    given, body = front_matter(LONG)
    assert given == {
        "title": "The bird that does not land: eleven days over the Pacific",
        "tags": ["birds", "long reads"],
    }
    assert body.lstrip().startswith("In the last week")
    assert excerpt(LONG).startswith("In the last week of September a bird")
    assert excerpt(LONG).endswith("…")
    assert len(excerpt(LONG)) <= markdown.EXCERPT_LENGTH
    assert minutes(LONG) == 1
    assert minutes("word " * 2300) == 10


@pytest.mark.parametrize(
    ("source", "never"),
    [
        ("<script>alert(1)</script>", "alert"),
        ("<style>*{display:none}</style>", "display"),
        ('<img src=x onerror="alert(1)">', "onerror"),
        ('<iframe src="https://example.com"></iframe>', "iframe"),
        ("[x](javascript:alert(1))", "href"),
        ("[x](JaVaScRiPt&colon;alert(1))", 'href="j'),
        ('<a href="data:text/html,x">x</a>', "data:"),
        ('<a href="java\nscript:alert(1)">x</a>', "script"),
        ("""<p><a title=">" href='{name, "javascript:alert(1)"}'>x</a></p>""", 'href="javascript:'),
        ("""<p><img alt='>' src='{name, "https://evil.example/x.png"}'></p>""", 'src="https://evil'),
        ("<svg><script>alert(1)</script></svg>", "alert"),
        ('<p style="position:fixed" class="page" id="main">x</p>', "style="),
        ('<p class="button" id="main">x</p>', "main"),
        ("<form action=/x><input name=a></form>", "<form"),
        ("<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>", "onerror"),
        ("<!-- secret -->", "secret"),
        ("A\x10B\x00C\ufffe\ud800", "\x10"),
    ],
)
def test_nothing_in_a_post_runs_frames_or_restyles(source: str, never: str) -> None:
    for page in (to_html(source, fields=False), to_html(f"text {source}", fields=True)):
        assert never.lower() not in page.lower()


def test_control_characters_are_scrubbed() -> None:
    """Field case K."""
    assert to_html("A\x10B\x00C\ufffeD\ud800", fields=False) == "<p>ABCD</p>\n"


@pytest.mark.parametrize(
    "source",
    [
        "[x](https://e.example/?this=test&that=test2)",
        "<https://e.example/?this=test&that=test2>",
        '<a href="https://e.example/?this=test&that=test2">x</a>',
        '<div><a href="https://e.example/?this=test&amp;that=test2">x</a></div>',
        "[x]\n\n[x]: https://e.example/?this=test&that=test2",
    ],
)
def test_a_link_is_escaped_once(source: str) -> None:
    """Field case F."""
    assert 'href="https://e.example/?this=test&amp;that=test2"' in to_html(source, fields=True)
    assert "https://e.example/?this=test&that=test2" in to_text(source, fields=True)


@pytest.mark.parametrize(
    ("source", "right"),
    [
        ('Hi {first_name, "you"}', "Hi Zoë"),
        ("**{name}**", "<strong>Zoë &lt;b&gt; Smith</strong>"),
        ("# Hi {name}", "<h1>Hi Zoë &lt;b&gt; Smith</h1>"),
        ("| {name} |\n|---|\n| {email} |", "<td>zoe@example.com</td>"),
        ("<div>Hi {name}</div>", "<div>Hi Zoë &lt;b&gt; Smith</div>"),
        ("a <b>{email}</b>", "<b>zoe@example.com</b>"),
        ("[{email}](https://e.example/?e={email}&x=1)", '?e=zoe%40example.com&amp;x=1"'),
        ('<a href="https://e.example/?e={email}">x</a>', '?e=zoe%40example.com"'),
        ("![for {email}](https://e.example/a.png)", 'alt="for zoe@example.com"'),
        ('{first_name, "a *b* & c"}', "<p>Zoë</p>"),
    ],
)
def test_a_field_is_filled_wherever_text_stands(source: str, right: str) -> None:
    assert right in mailed(source)
    assert not marked(mailed(source))


@pytest.mark.parametrize(
    "source",
    [
        "`{name}`",
        "    {name}",
        "```\n{name}\n```",
        "\\{name}",
        "{{name}}",
        "${name}",
        "<pre>{name}</pre>",
        "<div><code>{name}</code></div>",
    ],
)
def test_in_code_and_after_an_escape_braces_stay(source: str) -> None:
    assert "{name}" in mailed(source)


def test_on_the_site_a_field_shows_its_fallback() -> None:
    assert to_html('Hi {first_name, "you & *all*"}', fields=False) == "<p>Hi you &amp; *all*</p>\n"
    assert to_text('Hi {first_name, "you & *all*"}', fields=False) == "Hi you & *all*\n"


def test_misspelt_fields_are_told_but_not_in_code() -> None:
    assert misspelt_fields("Hi {frist_name} `{nmae}`\n\n    {emial}\n") == [("{frist_name}", "{first_name}")]


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("---\ntitle: a: b\n---\nx", "cannot be read as YAML"),
        ("---\ntitle: [a]\n---\nx", "`title`"),
        ("---\ntags: {a: b}\n---\nx", "`tags`"),
        ("---\ntags: [[a]]\n---\nx", "`tags`"),
        ("---\nx: " + "[" * 800 + "\n---\nx", "cannot be read as YAML"),
        ("---\ntitle: " + "x" * 5000 + "\n---\nx", "longer than"),
        ("---\na: &a [x]\nb: [*a, *z]\n---\n", "cannot be read as YAML"),
    ],
)
def test_bad_front_matter_is_told(source: str, told: str) -> None:
    with pytest.raises(Invalid, match=told):
        front_matter(source)


def test_front_matter_keeps_words_as_words() -> None:
    given, body = front_matter(
        "---\ntitle: No\ntags: 1984, birds, birds\nexcerpt: 2021-13-01\nlayout: x\n---\nBody"
    )
    assert given == {"title": "No", "tags": ["1984", "birds"], "excerpt": "2021-13-01"}
    assert body == "Body"


def test_a_rule_at_the_top_is_not_front_matter() -> None:
    source = "---\n\nNot *front* matter\n\n---\n\nend"
    assert front_matter(source) == ({}, source)
    assert "Not <em>front</em> matter" in to_html(source, fields=False)


def test_relative_addresses_are_joined_to_the_base() -> None:
    page = to_html(
        "[a](/b?x=1&y=2) ![i](c.png) [n](#fn1) x[^1]\n\n[^1]: note",
        fields=True,
        base_url="https://e.example/p/",
    )
    assert 'href="https://e.example/b?x=1&amp;y=2"' in page
    assert 'src="https://e.example/p/c.png"' in page
    assert 'href="#fn1"' in page


def test_footnotes_point_to_their_notes() -> None:
    page = to_html("Up[^1] there.\n\n[^1]: Very high.", fields=False)
    assert '<a href="#fn1" id="fnref1" rel="noopener">[1]</a>' in page
    assert 'id="fn1" class="footnote-item"' in page
    assert to_text("Up[^1] there.\n\n[^1]: Very high.", fields=False) == "Up[1] there.\n\n1. Very high.\n"


def test_too_much_is_refused_with_what_to_do() -> None:
    with pytest.raises(TooLarge, match="Split it"):
        to_html("x" * 10_000_000, fields=True)
    with pytest.raises(Invalid, match="brackets"):
        to_html("[" * (markdown.MAX_BRACKETS + 1), fields=True)
    with pytest.raises(Invalid, match="HTML tags"):
        to_html("<b>" * (markdown.MAX_TAGS + 1), fields=True)
    with pytest.raises(Invalid, match="long links"):
        to_html("[a]: /" + "u" * 100_000 + "\n\n" + "[a]" * 10_000, fields=True)


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet='ab {}<>"[]()!*_`~|-#&\\\n:/x^%', max_size=200))
def test_any_input_gives_clean_html_and_text(source: str) -> None:
    page = to_html(source, fields=True)
    assert sanitised(to_html(source, fields=False)) == to_html(source, fields=False)
    assert not marked(fill(page, READER, "html"))
    assert to_text(source, fields=False).endswith("\n")
