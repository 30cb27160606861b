"""The paywall marker: a line `<!--paywall-->` of its own; what stands above it is for everybody.

Nothing from below it may be seen above: not the text of a footnote, not the address of a link that is only
defined there. The mark of such a footnote leaves nothing behind, such a link leaves its words. The marker
counts wherever it is no code: in a list, a quotation or raw HTML the cut is made at its line all the same.
"""

import re
from typing import Any

from app.posts.parser import LOST_NOTES, PARSER

MARKER = "<!--paywall-->"
_MARKER = re.compile(r"^[ \t>]*<!--[ \t]*paywall[ \t]*-->", re.IGNORECASE | re.MULTILINE)
_DEAD_LINK = re.compile(r'<a href="" rel="noopener">(.*?)</a>', re.DOTALL)


def above(body: str) -> tuple[str, dict[str, Any]]:
    """The Markdown above the marker, and the parser's env to render it with; '' when there is no marker."""
    if not _MARKER.search(body):
        return "", {}
    body = body.replace("\r\n", "\n").replace("\r", "\n")
    whole: dict[str, Any] = {}
    line = _line_of_marker(PARSER.parse(body, whole))
    if line is None:
        return "", {}
    head = "\n".join(body.split("\n")[:line])
    own: dict[str, Any] = {}
    PARSER.parse(head, own)
    elsewhere = {name: {"title": "", "href": "", "map": [0, 0]} for name in whole.get("references", {})}
    notes = whole.get("footnotes", {}).get("refs", {})
    return head, {
        "references": {**elsewhere, **own.get("references", {})},
        LOST_NOTES: frozenset(label.removeprefix(":") for label in notes),
    }


def has_marker(body: str) -> bool:
    """Whether a marker stands in it, code apart."""
    return bool(_MARKER.search(body)) and _line_of_marker(PARSER.parse(body)) is not None


def without_dead_links(clean: str) -> str:
    """Links whose address stands below the marker, as their words."""
    return _DEAD_LINK.sub(lambda link: link[1], clean)


def _line_of_marker(tokens: Any) -> int | None:
    for token in tokens:
        if token.type == "html_block" and token.map and (found := _MARKER.search(token.content)):
            return token.map[0] + token.content[: found.start()].count("\n")
    return None
