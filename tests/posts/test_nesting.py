"""Promise 5: no post is so deep that reading it ends a process, a new one or one that stands there."""

import pytest

from app.base.errors import Invalid
from app.posts import Writing, to_html, to_text
from app.posts.nesting import MAX_DEEP, deepest, flattened
from app.posts.writing import tidy

DEEP = {
    "tags": "<i>" * 6_000 + "x",
    "blocks": "<div>\n\n" * 3_000 + "x",
    "emphasis": "*a " * 4_000 + "x" + " b*" * 4_000,
    "strong": "**a *b " * 2_000 + "x" + " c* d**" * 2_000,
    "struck": "~~a " * 4_000 + "x" + " b~~" * 4_000,
    "signs": "*" * 4_000 + "x" + "*" * 4_000,
}
SHALLOW = {
    "quotations": ">" * 19_000 + "x",
    "lists": "- " * 19_000 + "x",
    "numbers": "1. " * 19_000 + "x",
    "brackets": "[a" * 9_000 + "x" + "](b)" * 9_000,
    "cards": ":::callout\n" * 19_000 + "x",
    "notes": "^[" * 900 + "x" + "]" * 900,
    "bold words": "**bold** and *lean* " * 1_000,
    "pictures": '<img src="/a.jpg" alt="a"> ' * 5_000,
    "paragraphs": "<p>one</p>\n\n" * 5_000,
    "code": "```\n" + "<i>" * 1_000 + "\n```",
}


@pytest.mark.parametrize("kind", DEEP)
def test_what_is_too_deep_is_told_when_it_is_saved(kind: str) -> None:
    with pytest.raises(Invalid) as told:
        tidy(Writing("Deep", DEEP[kind]))
    assert f"{MAX_DEEP} are taken" in told.value.problems[0].message


@pytest.mark.parametrize("kind", SHALLOW)
def test_what_is_many_but_not_deep_is_saved(kind: str) -> None:
    assert tidy(Writing("Many", SHALLOW[kind])).title == "Many"


@pytest.mark.parametrize("kind", DEEP)
def test_what_is_stored_already_keeps_its_words_and_no_tag_that_is_too_deep(kind: str) -> None:
    page = to_html(DEEP[kind], fields=True)
    assert deepest(page) == MAX_DEEP
    assert "x" in to_text(DEEP[kind], fields=False)


def test_what_opens_is_closed_and_nothing_shallow_changes() -> None:
    page = "<p>" + "<b>" * 150 + "a<br>" + "</b>" * 150 + '</p><p title="&lt;b>">c</p>'
    flat = flattened(page)
    assert flat == "<p>" + "<b>" * 99 + "a" + "</b>" * 99 + '</p><p title="&lt;b>">c</p>'
    assert flattened(flat) == flat
