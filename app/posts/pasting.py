"""HTML from elsewhere as Markdown: what is pasted from Docs, Word or Substack, what an import brings.

`foreign` knows the habits of those programs and leaves plain HTML behind; here each element becomes Markdown
(markdownify), and only what Markdown would misread is escaped: a creator reads this text.
"""

import re
from dataclasses import dataclass
from typing import Any

from bs4 import BeautifulSoup, Tag
from bs4.exceptions import ParserRejectedMarkup
from markdownify import MarkdownConverter

from app.base.errors import TooLarge
from app.base.fields import scrub
from app.posts.foreign import CARD, NOTE, NOTE_MARK, PAYWALL, plain_html
from app.posts.paywall import MARKER

MAX_HTML = 4_000_000
"""Characters: a book pasted from Word brings some ten times its text."""
MAX_ELEMENTS = 60_000
MAX_DEEP = 100
"""How deep elements may stand in each other before only their words are taken."""
_SPECIAL = re.compile(r"([\\`*\[\]]|(?<!\w)_|_(?!\w)|<(?=[a-zA-Z/!?])|&(?=#?\w{1,31};)|~(?=~)|(?<=~)~)")
_AT_START = re.compile(r"^(\s*)(#{1,6}(?=\s|$)|[-+](?=\s|$)|>|:::|=+\s*$)")
_NO_LETTER = re.compile(r"&#(?:[0-9]{8,}|[xX][0-9a-fA-F]{8,});?")
_DECLARED = re.compile(r"<!(?!--)[^>]*>?")
_NUMBER = re.compile(r"^(\s*\d{1,9})([.)])(?=\s|$)")


@dataclass(frozen=True)
class Pasted:
    """What became of it, and how many pictures could not come along (they stood on somebody's disk)."""

    markdown: str
    lost_pictures: int = 0


def from_html(html: str) -> str:
    """The Markdown of foreign HTML: headings, lists, links, pictures, emphasis, tables, notes, cards.

    Raises TooLarge past MAX_HTML.
    """
    return pasted(html).markdown


def pasted(html: str) -> Pasted:
    """The same, and what was lost on the way. Raises TooLarge."""
    if len(html) > MAX_HTML or html.count("<") > 4 * MAX_ELEMENTS:
        raise TooLarge("This is too much to paste in one go. Paste it in parts, or as text alone.")
    soup = _read(scrub(html))
    if _too_deep(soup):
        return Pasted(_tidy(_Converter().escape(soup.get_text("\n"), set())))
    lost = plain_html(soup)
    return Pasted(_tidy(_Converter(**_OPTIONS).convert_soup(soup)), lost)


_OPTIONS: dict[str, Any] = {
    "heading_style": "ATX",
    "bullets": "-",
    "newline_style": "backslash",
    "strip_pre": None,
    "table_infer_header": True,
    "default_title": False,
}


def _read(html: str) -> BeautifulSoup:
    html = _NO_LETTER.sub("\ufffd", html)
    try:
        return BeautifulSoup(html, "html.parser")
    except ParserRejectedMarkup:  # half a declaration, such as `<![ `
        return BeautifulSoup(_DECLARED.sub("", html), "html.parser")


class _Converter(MarkdownConverter):
    def escape(self, text: str, parent_tags: Any) -> str:
        text = _SPECIAL.sub(lambda found: "\\" + found[0], text)
        text = _AT_START.sub(lambda found: found[1] + "\\" + found[2], text)
        text = _NUMBER.sub(r"\1\\\2", text)
        return text.replace("|", "\\|") if {"td", "th"} & set(parent_tags) else text

    def convert_a(self, el: Tag, text: str, parent_tags: Any) -> str:
        # An address that is its own label stays one: <https://…> is read again as a link.
        href = str(el.get("href") or "")
        if href and text.strip().replace("\\", "") == href and re.match(r"https?://[^\s<>]+$", href):
            return f"<{href}>"
        return _linked(text, href)

    def convert_img(self, el: Tag, text: str, parent_tags: Any) -> str:
        alt = re.sub(r"\s+", " ", str(el.get("alt") or "")).strip()
        return f"![{self.escape(alt, set())}]({_target(str(el.get('src') or ''))})"

    def convert_figcaption(self, el: Tag, text: str, parent_tags: Any) -> str:
        words = " ".join(text.split())
        return f"\n\n*{words.strip('*')}*\n\n" if words else ""

    def convert_pre(self, el: Tag, text: str, parent_tags: Any) -> str:
        code = el.get_text()
        fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", code)), default=0))
        names = " ".join(map(str, [*(el.get("class") or []), *((el.code and el.code.get("class")) or [])]))
        language = re.search(r"language-([\w+#.-]{1,40})", names)
        return f"\n\n{fence}{language[1] if language else ''}\n{code.strip(chr(10))}\n{fence}\n\n"

    def convert_godwit_card(self, el: Tag, text: str, parent_tags: Any) -> str:
        return f"\n\n:::{el['name']}\n{text.strip()}\n:::\n\n"

    def convert_godwit_paywall(self, el: Tag, text: str, parent_tags: Any) -> str:
        return f"\n\n{MARKER}\n\n"

    def convert_godwit_note_mark(self, el: Tag, text: str, parent_tags: Any) -> str:
        return f"[^{el['label']}]"

    def convert_godwit_note(self, el: Tag, text: str, parent_tags: Any) -> str:
        body = re.sub(r"\n(?=[^\n])", "\n    ", text.strip())
        return f"\n\n[^{el['label']}]: {body}\n\n"


assert {CARD, PAYWALL, NOTE, NOTE_MARK} == {
    name.removeprefix("convert_") for name in vars(_Converter) if name.startswith("convert_godwit")
}, "foreign makes what is converted here"


def _linked(text: str, href: str) -> str:
    words = text.strip()
    if not words or not href:
        return text
    before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return f"{before and ' '}[{words}]({_target(href)}){after and ' '}"


def _target(address: str) -> str:
    """An address as it may stand in parentheses."""
    address = re.sub(r"\s", "%20", address.strip())
    return f"<{address}>" if "(" in address or ")" in address else address


def _too_deep(soup: BeautifulSoup) -> bool:
    """Whether elements stand deeper in each other than can be walked, or are too many."""
    level = [child for child in soup.children if isinstance(child, Tag)]
    seen = 0
    for _ in range(MAX_DEEP):
        seen += len(level)
        if not level:
            return False
        if seen > MAX_ELEMENTS:
            return True
        level = [child for tag in level for child in tag.children if isinstance(child, Tag)]
    return True


def _tidy(text: str) -> str:
    """Lines without blanks to spare, one empty line between blocks; code keeps its own."""
    pieces = re.split(r"(^(`{3,}).*?^\2$)", text, flags=re.DOTALL | re.MULTILINE)
    tidied = [
        piece
        if piece.startswith("```")
        else re.sub(r"\n{3,}", "\n\n", re.sub(r"[ \t]+$|(?<=\S) +(?= \S)", "", piece, flags=re.MULTILINE))
        for number, piece in enumerate(pieces)
        if number % 3 != 2
    ]
    return "".join(tidied).strip("\n") + "\n" if "".join(tidied).strip() else ""
