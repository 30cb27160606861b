"""How deep the parts of a post stand in each other.

What reads a page after us walks down into it part by part and needs stack for each: the inliner of mails, a
mail program, a browser. One of them ends the process some ten thousand parts down, so no page that leaves
here is deeper than MAX_DEEP. Markdown alone, lists and quotations, ends at half of that.
"""

import re

MAX_DEEP = 100
"""Parts that may stand in each other. What stands deeper keeps its words and loses its tags."""
TAG = re.compile(r'<[a-zA-Z/](?:[^<>"]|"[^"]*")*>')
"""A tag of sanitised HTML, in which every attribute stands in double quotes."""
_VOID = ("br", "col", "hr", "img", "wbr")
_NAME = re.compile(r"</?([a-z0-9]+)")


def deepest(clean: str) -> int:
    """How many parts of sanitised HTML, where all that is opened is closed, stand in each other at most."""
    deep = most = 0
    for tag in TAG.finditer(clean):
        deep += _step(tag[0])
        most = max(most, deep)
    return most


def flattened(clean: str) -> str:
    """Sanitised HTML without the tags of what stands deeper than MAX_DEEP; the words stay."""
    if deepest(clean) <= MAX_DEEP:
        return clean
    deep = 0

    def kept(tag: re.Match[str]) -> str:
        nonlocal deep
        before, deep = deep, deep + _step(tag[0])
        return tag[0] if max(before, deep) <= MAX_DEEP else ""

    return TAG.sub(kept, clean)


def may_be_deep(markdown: str) -> bool:
    """Whether a text has enough of what nests, raw tags or emphasis, to be deeper than is taken."""
    if markdown.count("<") > MAX_DEEP // 2:
        return True
    signs = (sum(part.count(sign) for sign in "*_~") for part in re.split(r"\n[ \t]*\n", markdown))
    return any(many > MAX_DEEP // 2 for many in signs)


def _step(tag: str) -> int:
    name = _NAME.match(tag)
    if name is None or name[1] in _VOID:
        return 0
    return -1 if tag.startswith("</") else 1
