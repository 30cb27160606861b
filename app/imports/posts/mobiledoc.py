"""Ghost's older editor format: sections with markers, cards and atoms beside them, in JSON."""

from html import escape
from typing import Any

import msgspec

from app.imports.posts.lexical import as_html, picture

_TAGS = {"b": "strong", "strong": "strong", "i": "em", "em": "em", "s": "s", "u": "u", "code": "code"}
_BLOCKS = ("p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "aside")


def mobiledoc_html(text: str) -> tuple[str, tuple[str, ...]]:
    """Its HTML, and what of it did not survive."""
    lost: list[str] = []
    try:
        told = msgspec.json.decode(text)
        parts = [_section(told, section, lost) for section in told.get("sections") or []]
        return "".join(parts), tuple(dict.fromkeys(lost))
    except (msgspec.DecodeError, KeyError, TypeError, IndexError, AttributeError, ValueError):
        return "", ("Its text cannot be read: it is no whole Mobiledoc document.",)


def _section(told: dict[str, Any], section: list[Any], lost: list[str]) -> str:
    kind = section[0]
    if kind == 1:
        tag = section[1] if section[1] in _BLOCKS else "p"
        tag = "blockquote" if tag == "aside" else tag
        return f"<{tag}>{_markers(told, section[2])}</{tag}>"
    if kind == 2:
        return picture(section[1], "", "")
    if kind == 3:
        tag = "ol" if section[1] == "ol" else "ul"
        return f"<{tag}>{''.join(f'<li>{_markers(told, one)}</li>' for one in section[2])}</{tag}>"
    if kind == 10:
        card, payload = told["cards"][section[1]][:2]
        return _card(str(card), payload or {}, lost)
    return ""


def _markers(told: dict[str, Any], markers: list[Any]) -> str:
    out: list[str] = []
    open_tags: list[str] = []
    for kind, opened, closed, value in markers:
        for index in opened:
            tag, link = _markup(told["markups"][index])
            open_tags.append(tag)
            out.append(f'<{tag} href="{escape(link)}">' if link else f"<{tag}>")
        if kind == 0:
            out.append(escape(str(value)))
        else:
            atom = told["atoms"][value]
            out.append("<br>" if atom[0] == "soft-return" else escape(str(atom[1])))
        out.extend(f"</{open_tags.pop()}>" for _ in range(min(closed, len(open_tags))))
    out.extend(f"</{tag}>" for tag in reversed(open_tags))
    return "".join(out)


def _markup(markup: list[Any]) -> tuple[str, str]:
    tag = str(markup[0]).lower()
    if tag == "a":
        told = markup[1] if len(markup) > 1 else []
        return "a", str(dict(zip(told[::2], told[1::2], strict=False)).get("href", "#"))
    return _TAGS.get(tag, "span"), ""


def _card(name: str, payload: dict[str, Any], lost: list[str]) -> str:
    if name in ("markdown", "card-markdown"):
        return as_html(str(payload.get("markdown") or ""))
    if name == "html":
        return str(payload.get("html") or "")
    if name == "image":
        return picture(payload.get("src"), payload.get("alt"), payload.get("caption"))
    if name == "gallery":
        return "".join(picture(one.get("src"), one.get("alt"), "") for one in payload.get("images") or [])
    if name == "hr":
        return "<hr>"
    if name == "paywall":
        return "<!--members-only-->"
    if name == "code":
        return f"<pre><code>{escape(str(payload.get('code') or ''))}</code></pre>"
    if name in ("bookmark", "embed") and payload.get("url"):
        url = escape(str(payload["url"]))
        words = escape(str((payload.get("metadata") or {}).get("title") or payload["url"]))
        return f'<p><a href="{url}">{words}</a></p>'
    lost.append(f"A card of the kind “{name[:40]}” is left out.")
    return ""
