"""Markdown as long as a post may be, made to be slow: a page must never wait for it."""

import time

import pytest

from app.posts import markdown
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
