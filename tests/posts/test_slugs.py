"""Slugs in any script: full, URL-safe, never empty (field cases K)."""

from uuid import UUID

import pytest

from app.posts.slugs import MAX_SLUG, fallback_slug, path_of, slug_of


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("ا", "ا"),
        ("ع", "ع"),
        ("Lasers & feelings", "lasers-feelings"),
        ("Why? 100% #1", "why-100-1"),
        ("हिन्दी भाषा", "हिन्दी-भाषा"),
        ("日本語のタイトル", "日本語のタイトル"),
        ("Don’t stop—now", "dont-stop-now"),
        ("Ünïcödé", "ünïcödé"),
        ("A\x10B", "a-b"),
        ("../../etc/passwd", "etc-passwd"),
    ],
)
def test_a_title_in_any_script_keeps_every_word_in_its_slug(title: str, slug: str) -> None:
    assert slug_of(title) == slug
    assert path_of(slug).isascii()


@pytest.mark.parametrize("title", ["?", "%", "#", "…", "\u0301", "\u202e", "🐦"])
def test_a_title_without_a_letter_has_no_slug_of_its_own(title: str) -> None:
    assert slug_of(title) == ""


def test_the_fallback_slug_names_the_post() -> None:
    assert fallback_slug(UUID("01890a5d-ac96-774b-bcce-b302099a8057")) == "post-099a8057"


def test_a_long_title_is_cut_between_words() -> None:
    slug = slug_of("mudflat " * 40)
    assert len(slug) <= MAX_SLUG
    assert slug.endswith("-mudflat")
