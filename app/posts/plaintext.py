"""Sanitised HTML as plain text that a person can read: a mail's text part, an excerpt.

It reads what the allow-list of `markdown` lets through, so text and HTML of a mail never tell different
things. Lines are not wrapped: mail programs do that, and a cut would break addresses and placeholders.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

MAX_DEPTH = 40
MAX_TABLE_WIDTH = 100
_VOID = {"br", "col", "hr", "img", "wbr"}
# fmt: off
_BLOCKS = {
    "address", "blockquote", "dd", "details", "div", "dl", "dt", "figcaption", "figure", "h1", "h2",
    "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "section", "summary", "table", "ul",
}
# fmt: on


@dataclass
class _Node:
    tag: str
    attrs: dict[str, str] = field(default_factory=dict[str, str])
    inside: "list[_Node | str]" = field(default_factory=list)


class _Reader(HTMLParser):
    """A tree of the page. Deeper than MAX_DEPTH it is flat, so that no recursion has to follow it."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = _Node("root")
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = _Node(tag, {name: value or "" for name, value in attrs})
        self.open[min(len(self.open), MAX_DEPTH) - 1].inside.append(node)
        if tag not in _VOID:
            self.open.append(node)

    def handle_endtag(self, tag: str) -> None:
        # The sanitiser closes what it opens, in order: only a stray end tag finds another name here.
        if len(self.open) > 1 and self.open[-1].tag == tag:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[min(len(self.open), MAX_DEPTH) - 1].inside.append(data)


def plain(html: str) -> str:
    """`html`, which must come from the sanitiser, as text; ends with one line end."""
    return _blocks(_read(html).inside).strip("\n") + "\n"


def first_words(html: str, most: int) -> str:
    """The first paragraphs' words on one line, cut between words with an ellipsis; without image labels."""
    words = ""
    for node in _walk(_read(html)):
        if node.tag == "p" and len(words) <= most:
            words = f"{words} {' '.join(_inline(node.inside, labels_only=True).split())}".strip()
    if len(words) <= most:
        return words
    cut = words[: most - 1]
    return (cut[: cut.rfind(" ")] if " " in cut else cut).rstrip(" ,;:–—-") + "…"


def _read(html: str) -> _Node:
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.root


def _walk(node: _Node) -> Iterator[_Node]:
    for child in node.inside:
        if isinstance(child, _Node):
            yield child
            yield from _walk(child)


def _blocks(inside: "list[_Node | str]", gap: str = "\n\n") -> str:
    """Blocks with a gap between them; text that stands between blocks is a block of its own."""
    done: list[str] = []
    run: list[_Node | str] = []
    for child in [*inside, _Node("hr", {"end": ""})]:
        if isinstance(child, str) or child.tag not in _BLOCKS:
            run.append(child)
            continue
        done += [_inline(run), "" if "end" in child.attrs else _block(child)]
        run = []
    return gap.join(block for block in done if block.strip())


def _block(node: _Node) -> str:
    match node.tag:
        case "hr":
            return "" if node.attrs.get("class") == "footnotes-sep" else "* * *"
        case "pre":
            return _indented("".join(_raw(node)).strip("\n"), "    ", "    ")
        case "blockquote":
            return _indented(_blocks(node.inside), "> ", "> ")
        case "ul" | "ol":
            return _list(node)
        case "table":
            return _table(node)
        case "dd":
            return _indented(_blocks(node.inside), "    ", "    ")
        case "dl" | "figure" | "details":
            return _blocks(node.inside, "\n")
        case _:
            return _blocks(node.inside)


def _list(node: _Node) -> str:
    start = node.attrs.get("start", "1")
    number = int(start) if re.fullmatch(r"\d{1,9}", start) else 1
    items: list[str] = []
    for child in node.inside:
        if not isinstance(child, _Node) or child.tag != "li":
            continue
        sign = f"{number}. " if node.tag == "ol" else "- "
        loose = any(isinstance(part, _Node) and part.tag == "p" for part in child.inside)
        items.append(
            _indented(_blocks(child.inside, "\n\n" if loose else "\n"), sign, " " * len(sign)) or sign
        )
        number += 1
    return "\n".join(items)


def _table(node: _Node) -> str:
    """Columns side by side when they fit a screen, else one line a cell with its column's name."""
    rows = [
        [_inline(cell.inside).replace("\n", " ") for cell in row.inside if isinstance(cell, _Node)]
        for row in _walk(node)
        if row.tag == "tr"
    ]
    columns = max((len(row) for row in rows), default=0)
    widths = [
        max((_width(row[i]) for row in rows if i < len(row)), default=0) for i in range(min(columns, 40))
    ]
    if len(rows) < 2 or columns > 40 or sum(widths) + 3 * columns > MAX_TABLE_WIDTH:
        names = [name[:40] for name in rows[0]] if rows else []
        return "\n\n".join(
            "\n".join(f"{names[i]}: {cell}" if i < len(names) else cell for i, cell in enumerate(row) if cell)
            for row in rows[1:] or rows
        )
    lines = [
        " | ".join(cell + " " * (widths[i] - _width(cell)) for i, cell in enumerate(row)).rstrip()
        for row in rows
    ]
    return "\n".join([lines[0], "-+-".join("-" * width for width in widths), *lines[1:]])


def _inline(inside: "list[_Node | str]", *, labels_only: bool = False) -> str:
    text = "".join(_spans(inside, labels_only))
    return re.sub(r" *\n *", "\n", re.sub(r"[ \t]{2,}", " ", text)).strip(" \n")


def _spans(inside: "list[_Node | str]", labels_only: bool) -> Iterator[str]:
    for child in inside:
        if isinstance(child, str):
            yield re.sub(r"[ \t\r\n]+", " ", child)
        elif child.tag == "br":
            yield "\n"
        elif child.tag == "img":
            yield f"[{child.attrs['alt']}]" if child.attrs.get("alt", "").strip() and not labels_only else ""
        elif child.tag == "a":
            yield _link(child, labels_only)
        elif child.tag in _BLOCKS:
            yield " " + _inline(child.inside, labels_only=labels_only) + " "
        else:
            yield from _spans(child.inside, labels_only)


def _link(node: _Node, labels_only: bool) -> str:
    label = "".join(_spans(node.inside, labels_only)).strip()
    address = node.attrs.get("href", "")
    if node.attrs.get("class") in ("footnote-backref", "footnote-ref") or (
        labels_only and address[:3] == "#fn"
    ):
        return "" if labels_only or "↩" in label else label
    shown = address.removeprefix("mailto:")
    if labels_only or not address or address.startswith("#") or shown == label:
        return label
    return f"{label} ({shown})" if label else shown


def _raw(node: _Node) -> Iterator[str]:
    for child in node.inside:
        if isinstance(child, str):
            yield child
        elif child.tag == "br":
            yield "\n"
        else:
            yield from _raw(child)


def _indented(text: str, first: str, rest: str) -> str:
    if not text:
        return ""
    return first + text.replace("\n", "\n" + rest).replace("\n" + rest + "\n", "\n" + rest.rstrip() + "\n")


def _width(text: str) -> int:
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )
