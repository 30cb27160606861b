"""Ghost's newer editor format: a tree of nodes in JSON, where no HTML was rendered (drafts)."""

from html import escape
from typing import Any

import msgspec

from app.posts import to_html

_WRAPPED = {
    "root": "{}",
    "paragraph": "<p>{}</p>",
    "quote": "<blockquote>{}</blockquote>",
    "listitem": "<li>{}</li>",
}
_WRAPPED |= {"extended-quote": _WRAPPED["quote"], "aside": _WRAPPED["quote"], "linebreak": "<br>"}
_MARKS = ((1, "strong"), (2, "em"), (4, "s"), (8, "u"), (16, "code"))
_HTML = ("html", "markdown-html", "email")
_DEPTH = 60


def lexical_html(text: str) -> tuple[str, tuple[str, ...]]:
    """Its HTML, and what of it did not survive."""
    lost: list[str] = []
    try:
        root = msgspec.json.decode(text)["root"]
        return _node(root, lost, 0), tuple(dict.fromkeys(lost))
    except (msgspec.DecodeError, KeyError, TypeError, AttributeError, ValueError):
        return "", ("Its text cannot be read: it is no whole Lexical document.",)


def _node(node: dict[str, Any], lost: list[str], depth: int) -> str:
    kind = str(node.get("type") or "")
    if kind in ("text", "extended-text"):
        return _marked(node)
    if depth > _DEPTH:
        lost.append("It is nested too deep: a part of its text is left out.")
        return ""
    inner = "".join(
        _node(one, lost, depth + 1) for one in node.get("children") or [] if isinstance(one, dict)
    )
    if kind in _WRAPPED:
        return _WRAPPED[kind].replace("{}", inner)
    if kind in ("heading", "extended-heading"):
        tag = node.get("tag") if node.get("tag") in ("h1", "h2", "h3", "h4", "h5", "h6") else "h2"
        return f"<{tag}>{inner}</{tag}>"
    if kind == "list":
        tag = "ol" if node.get("listType") == "number" else "ul"
        return f"<{tag}>{inner}</{tag}>"
    if kind in ("link", "autolink", "at-link"):
        return f'<a href="{escape(str(node.get("url") or ""))}">{inner}</a>'
    return _card(kind, node, inner, lost)


def _marked(node: dict[str, Any]) -> str:
    words, format = escape(str(node.get("text") or "")), node.get("format")
    for bit, tag in _MARKS:
        if isinstance(format, int) and format & bit:
            words = f"<{tag}>{words}</{tag}>"
    return words


def _card(kind: str, node: dict[str, Any], inner: str, lost: list[str]) -> str:
    if kind == "image":
        return picture(node.get("src"), node.get("alt"), node.get("caption"))
    if kind == "gallery":
        return "".join(picture(one.get("src"), one.get("alt"), "") for one in node.get("images") or [])
    if kind == "horizontalrule":
        return "<hr>"
    if kind == "paywall":
        return "<!--members-only-->"
    if kind == "codeblock":
        return f"<pre><code>{escape(str(node.get('code') or ''))}</code></pre>"
    if kind in _HTML:
        return str(node.get("html") or "")
    if kind == "markdown":
        return as_html(str(node.get("markdown") or ""))
    if kind in ("bookmark", "embed", "button") and (url := node.get("url") or node.get("buttonUrl")):
        told = node.get("metadata") or {}
        words = node.get("buttonText") or told.get("title") or url
        return f'<p><a href="{escape(str(url))}">{escape(str(words))}</a></p>'
    if kind == "callout":
        words = f'<div class="kg-callout-text">{node.get("calloutText") or ""}</div>'
        return f'<div class="kg-callout-card">{words}</div>'
    lost.append(f"A card of the kind “{kind[:40]}” is left out{', its words stay' if inner else ''}.")
    return inner


def picture(src: Any, alt: Any, caption: Any) -> str:
    """A picture with its caption, as HTML."""
    below = f"<figcaption>{caption}</figcaption>" if caption else ""
    return f'<figure><img src="{escape(str(src or ""))}" alt="{escape(str(alt or ""))}">{below}</figure>'


def as_html(markdown: str) -> str:
    """A card of Markdown, rendered: what comes after reads HTML."""
    return to_html(markdown, fields=False)
