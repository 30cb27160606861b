"""The Markdown parser of posts: CommonMark with tables, strikethrough, footnotes, cards, and a mail's fields.

A *card* is a block of its own look: three colons and its name, what stands in it, three colons.

    :::callout          words set apart           :::quote       a sentence to stop at
    :::button           one link, as a button     :::gallery     images side by side
    [Read on](https://…)
    :::

What comes out is not safe yet: `markdown` sanitises it.
"""

import html
import re
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from mdit_py_plugins.container import container_plugin
from mdit_py_plugins.footnote import footnote_plugin

from app.base.errors import Invalid, Problem
from app.base.fields import FIELD, find, replace_fields

MAX_LINKED = 2_000_000
"""Characters of addresses and titles written out: one long reference, used often, would fill any memory."""
CARDS = {"callout": "div", "button": "div", "quote": "blockquote", "gallery": "div"}
"""Each card and the element it becomes, of the class `card-…`."""
LOST_NOTES = "godwit_lost_notes"
"""In the parser's env: labels of footnotes whose marks leave nothing behind."""
_HTML_PIECE = re.compile(r"""(<(?:[^<>"']|"[^"]*"|'[^']*')*>)""")
_NOTE = re.compile(r"\[\^([^\]\s]+)\]")


def _field(state: StateInline, silent: bool) -> bool:
    """The inline rule for a field. Code and escapes (`\\{name}`) are consumed before it sees them."""
    found = FIELD.match(state.src, state.pos)
    if found is None or found.end() > state.posMax:
        return False
    if not silent:
        state.pending += replace_fields(found[0])
    state.pos = found.end()
    return True


def _lost_note(state: StateInline, silent: bool) -> bool:
    """The mark of a footnote that stands in a part which is not shown."""
    found = _NOTE.match(state.src, state.pos)
    if found is None or found[1] not in state.env.get(LOST_NOTES, ()):
        return False
    state.pos = found.end()
    return True


def _html_block(renderer: Any, tokens: Any, index: int, options: Any, env: Any) -> str:
    """Raw HTML with the fields in its text as marks, except in code."""
    pieces: list[str] = []
    code = 0
    for piece in _HTML_PIECE.split(tokens[index].content):
        if piece.startswith("<"):
            tag = re.match(r"<(/?)(?:code|pre|kbd|samp)\b", piece, re.IGNORECASE)
            code = max(0, code + (0 if tag is None else -1 if tag[1] else 1))
            pieces.append(piece)
        else:
            pieces.append(piece if code else FIELD.sub(_unescaped, piece))
    return "".join(pieces)


def _unescaped(found: re.Match[str]) -> str:
    return replace_fields(html.unescape(found[0]))


def _normalized(address: str) -> str:
    """markdown-it's normalising of an address, except that fields in it stay as written."""
    pieces: list[str] = []
    at = 0
    for field in find(address):
        pieces += [_normalize(address[at : field.start]), address[field.start : field.end]]
        at = field.end
    return "".join([*pieces, _normalize(address[at:])])


def _bound_links(state: StateCore) -> None:
    written = sum(
        len(str(value))
        for token in state.tokens
        for child in token.children or ()
        for value in child.attrs.values()
    )
    if written > MAX_LINKED:
        message = "This post repeats very long links too often. Shorten them."
        raise Invalid([Problem("markdown", message)])


def _align(state: StateCore) -> None:
    """A column's alignment as an attribute: `style` is not on the allow-list, and mail programs know both."""
    for token in state.tokens:
        if token.type in ("td_open", "th_open") and (style := token.attrs.pop("style", None)):
            token.attrs["align"] = str(style).removeprefix("text-align:")


def _card(name: str, tag: str) -> Any:
    def render(renderer: Any, tokens: Any, index: int, options: Any, env: Any) -> str:
        return f'<{tag} class="card-{name}">\n' if tokens[index].nesting == 1 else f"</{tag}>\n"

    return render


PARSER = MarkdownIt("commonmark", {"maxNesting": 40}).enable(["table", "strikethrough"])
_normalize = PARSER.normalizeLink
PARSER.use(footnote_plugin)
for _name, _tag in CARDS.items():
    PARSER.use(container_plugin, name=_name, render=_card(_name, _tag))
PARSER.inline.ruler.before("escape", "field", _field)
PARSER.inline.ruler.after("footnote_ref", "lost_note", _lost_note)
PARSER.core.ruler.push("bound_links", _bound_links)
PARSER.core.ruler.push("align", _align)
PARSER.add_render_rule("html_block", _html_block)
setattr(PARSER, "normalizeLink", _normalized)  # noqa: B010 (its documented way to be customised)
