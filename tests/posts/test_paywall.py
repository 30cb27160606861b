"""Promise 7: what stands below the paywall marker is nowhere above it."""

import pytest

from app.base.database import Database
from app.posts import Writing, freeze
from app.posts.markdown import excerpt, to_html, to_text
from tests.posts.makers import make_desk, make_post

HIDDEN = "SECRET"


def free(markdown: str) -> str:
    return to_html(markdown, fields=False, only_free=True)


@pytest.mark.parametrize(
    "markdown",
    [
        "Open words.\n\n<!--paywall-->\n\nSECRET words.",
        "Open words.\n<!-- Paywall -->\nSECRET words.",
        "Open words.\r\n<!--paywall-->\r\nSECRET words.",
        "Open words.\n\n<!--paywall--> SECRET words.",
        "Open words[^1].\n\n<!--paywall-->\n\n[^1]: SECRET note.",
        "Open [words][there].\n\n<!--paywall-->\n\n[there]: https://example.org/SECRET",
        'Open ![words][there].\n\n<!--paywall-->\n\n[there]: https://example.org/SECRET.png "SECRET"',
        "- Open words.\n\n  <!--paywall-->\n- SECRET item",
        "> Open words.\n> <!--paywall-->\n> SECRET words",
        "<div>\nOpen words.\n<!--paywall-->\nSECRET\n</div>",
        ":::callout\nOpen words.\n<!--paywall-->\nSECRET\n:::",
        "Open words.\n\n<!--paywall-->\n\nSECRET\n\n<!--paywall-->\n\nSECRET",
        "---\ntitle: t\n---\nOpen words.\n\n<!--paywall-->\nSECRET",
    ],
)
def test_nothing_below_the_marker_stands_above_it(markdown: str) -> None:
    for seen in (free(markdown), excerpt(markdown, only_free=True)):
        assert HIDDEN not in seen
    assert "Open" in free(markdown)
    assert "[^" not in free(markdown)
    assert HIDDEN in to_html(markdown, fields=False)
    assert "paywall" not in to_html(markdown, fields=False).lower()
    assert HIDDEN not in to_text(markdown, fields=False, only_free=True)


@pytest.mark.parametrize(
    "markdown",
    [
        "No marker.",
        "```\n<!--paywall-->\n```\nAfter",
        "    <!--paywall-->\n\nAfter",
        "A `<!--paywall-->` word",
    ],
)
def test_a_marker_in_code_or_none_leaves_nothing_free(markdown: str) -> None:
    assert free(markdown) == ""


def test_a_note_and_a_link_that_are_told_above_stay() -> None:
    told = "A[^1] [b][c].\n\n[^1]: Note.\n\n[c]: https://example.org/c\n\n"
    markdown = told + "<!--paywall-->\n\nSECRET[^2]\n\n[^2]: SECRET"
    shown = free(markdown)
    assert "Note." in shown
    assert 'href="https://example.org/c"' in shown


@pytest.mark.parametrize("access", ["subscribers", "paid"])
async def test_a_restricted_post_takes_no_excerpt_from_below_the_marker(web: Database, access: str) -> None:
    desk = await make_desk(web)
    with_marker = await make_post(web, desk, markdown="Open.\n\n<!--paywall-->\n\nSECRET", access=access)
    without = await make_post(web, desk, markdown="SECRET", access=access)
    written = await make_post(web, desk, markdown="SECRET", access=access, excerpt="Come in.")
    async with web.transaction(desk.account_id) as tx:
        first = await freeze(tx, with_marker.post_id, None)
        second = await freeze(tx, without.post_id, None)
        third = await freeze(tx, written.post_id, None)
    assert (first.excerpt, second.excerpt, third.excerpt) == ("Open.", "", "Come in.")
    assert (first.preview_html, second.preview_html) == ("<p>Open.</p>\n", "")
    assert HIDDEN in first.html


def test_a_writing_is_bound_whole() -> None:
    assert set(Writing().columns()) == set(Writing.__dataclass_fields__)
