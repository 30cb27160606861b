"""Markdown as long as a post may be, made to be slow: a page must never wait for it."""

import time

import pytest

from app.posts import markdown
from app.posts.differences import differences
from app.posts.markdown import to_text


@pytest.mark.parametrize(
    "unit",
    ["[", ">", "*a", "- ", "`", "<div>", "![", '{name, "', "&", "|a", "<!--", "<ol><li>", "\\", "~~a ", "("],
)
def test_nasty_input_renders_in_seconds(unit: str) -> None:
    most = {"[": markdown.MAX_BRACKETS, "<": markdown.MAX_TAGS // 2, "!": markdown.MAX_BRACKETS}
    count = min(most.get(unit[0], markdown.MAX_MARKDOWN), markdown.MAX_MARKDOWN // len(unit))
    began = time.monotonic()
    to_text(unit * count, fields=True)
    assert time.monotonic() - began < 15  # 2 s on a quiet machine; a quadratic case takes minutes


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("\n".join(map(str, range(40_000))), "\n".join(map(str, range(40_000, 0, -1)))),
        ("\n" * 299_999, "x\n" * 150_000),
    ],
)
def test_nasty_differences_are_told_in_seconds(before: str, after: str) -> None:
    began = time.process_time()
    assert differences(before, after)
    assert time.process_time() - began < 15  # 2 s on a quiet machine
