"""What is pasted from Docs, Word and Substack keeps its form, and no more of it than that."""

import time
from pathlib import Path

import pytest

from app.base.errors import TooLarge
from app.posts.markdown import to_html
from app.posts.pasting import MAX_HTML, from_html, pasted

DATA = Path(__file__).parents[1] / "data"
DOCS = (DATA / "pasted-docs.html").read_text("utf-8")
WORD = (DATA / "pasted-word.html").read_text("utf-8")
SUBSTACK = (DATA / "pasted-substack.html").read_text("utf-8")
GHOST = (DATA / "pasted-ghost.html").read_text("utf-8")


def lines(html: str) -> list[str]:
    return [line for line in from_html(html).split("\n") if line]


def test_docs_keep_headings_lists_links_pictures_and_emphasis() -> None:
    assert lines(DOCS) == [
        "## Over the Pacific",
        "It flies **eleven** *long* days, see [the map](https://example.org/bird?a=1).",
        "### What it eats",
        "- worms",
        "  - small ones",
        "- crabs",
        "1. first",
        "2. second",
        "![A wader](https://lh3.googleusercontent.com/x)",
    ]


def test_word_keeps_its_lists_and_notes_and_says_which_pictures_stayed_behind() -> None:
    assert lines(WORD) == [
        "## The title",
        "### A heading",
        "Some **bold** and *slanted* words, and a note[^1].",
        "- one",
        "  - inner",
        "- two",
        "1. counted",
        "[^1]: The note.",
    ]
    assert pasted(WORD).lost_pictures == 1


def test_substack_keeps_notes_captions_cards_and_the_paywall() -> None:
    assert lines(SUBSTACK) == [
        "### A heading",
        "Words[^1] go on.",
        "![Mud](<https://substackcdn.com/a%20(1).jpg>)",
        "*The mud.*",
        ":::quote",
        "Stop here.",
        ":::",
        ":::button",
        "[Go](https://example.org/go)",
        ":::",
        "<!--paywall-->",
        "Paid words.",
        "[^1]: The note.",
    ]
    assert "Paid" not in to_html(from_html(SUBSTACK), fields=False, only_free=True)


def test_ghost_keeps_its_cards_and_code() -> None:
    assert lines(GHOST) == [
        ":::callout",
        "💡 Mind **this**.",
        ":::",
        ":::button",
        "[Press](https://example.org)",
        ":::",
        ":::gallery",
        "![1](https://e.org/1.jpg)![2](https://e.org/2.jpg)",
        ":::",
        "*Two*",
        "<!--paywall-->",
        "```python",
        "a = 1",
        "# not a heading",
        "```",
    ]


@pytest.mark.parametrize(
    "words",
    [
        "2 * 3 * 4", "snake_case and _this_", "[not a link](x)", "# no heading", "- no item", "1. no item",
        "> no quotation", "<b>no tag</b>", "&copy; as written", "`code`", "~~no~~", ":::callout", "a \\ b",
        "Lasers & feelings", "https://example.org/a_b_c",
    ],
)  # fmt: skip
def test_words_come_out_as_they_stood(words: str) -> None:
    html = f"<p>{words.replace('&', '&amp;').replace('<', '&lt;')}</p>"
    told = to_html(from_html(html), fields=False)
    shown = words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert told == f"<p>{shown}</p>\n"


@pytest.mark.parametrize(
    "html",
    [
        "<a href='javascript:alert(1)'>x</a><img src='javascript:alert(1)'><script>alert(1)</script>",
        "<p onclick='alert(1)'>x</p><iframe src='javascript:alert(1)'></iframe>",
        "<style>p{}</style><svg onload=alert(1)></svg>x",
    ],
)
def test_nothing_that_runs_comes_along(html: str) -> None:
    for text in (from_html(html), to_html(from_html(html), fields=False)):
        assert "alert" not in text or "<a" not in text
        assert "<script" not in text
        assert "onclick" not in text
        assert "href=" not in text


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 20_000 + "deep",
        "<b><i>" * 8_000 + "deep",
        "<ul><li>" * 3_000 + "deep",
        "<td>" * 15_000 + "deep",
    ],
    ids=["div", "inline", "list", "cells"],
)
def test_a_tree_too_deep_is_its_words_and_keeps_nobody_waiting(html: str) -> None:
    began = time.process_time()
    assert "deep" in from_html(html)
    assert time.process_time() - began < 4


def test_too_much_is_told() -> None:
    with pytest.raises(TooLarge, match="in parts"):
        from_html("x" * (MAX_HTML + 1))


@pytest.mark.parametrize(
    "html", ["", "<p></p>", "<br>", "<b><b></b></b>", "<table></table>", "\0\ud800", "<ul><ul></ul></ul>"]
)
def test_next_to_nothing_is_no_error(html: str) -> None:
    from_html(html)


@pytest.mark.parametrize(
    ("html", "told"),
    [
        ('<ol start="²"><li>x</ol>', "1. x"),
        ('<ol start="½"><li>x</ol>', "1. x"),
        (f'<ol start="{"9" * 5_000}"><li>x</ol>', "1. x"),
        ('<ol start="7"><li>x</ol>', "7. x"),
        ('<table><tr><th colspan="²">a<tr><td colspan="²">x</table>', "| x |"),
        (f'<table><tr><td colspan="{"9" * 5_000}">x</table>', "| x |"),
        ('<a href="http://[bad">x</a>', "[x](http://[bad)"),
        ('<a href="http://℀.com/">x</a>', "[x](http://℀.com/)"),
        ('<a href="https://www.google.com/url?q=http://[bad">x</a>', "[x](http://[bad)"),
        (f"x&#{'9' * 5_000};", "x\ufffd"),
        ("x<![ ", "x"),
        ('<div class="kg-bookmark-card"><a href="https://a.example">x</a></div>', "<https://a.example>"),
        (
            '<p class="kg-gallery-card"><img src="/a"><b class="kg-gallery-card"><img src="/b"></b></p>',
            ":::gallery\n![](/a)![](/b)\n:::",
        ),
    ],
)
def test_what_no_browser_heeds_stops_nobody(html: str, told: str) -> None:
    assert told in from_html(html)
