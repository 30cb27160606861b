"""The text of a mail that came as HTML only."""

from html.parser import HTMLParser

_FOLLOWED = ("http:", "https:", "mailto:")


def plain_text(html: str) -> str:
    """A text for those who read mail without HTML: blocks on lines of their own, links behind their words."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    lines = [" ".join(line.split()) for line in "".join(reader.pieces).split("\n")]
    kept = [line for at, line in enumerate(lines) if line or (at and lines[at - 1])]
    return "\n".join(kept).strip() + "\n"


class _Reader(HTMLParser):
    _BLOCKS = frozenset(f"h{level}" for level in range(1, 7)) | {
        "p",
        "div",
        "ul",
        "ol",
        "table",
        "tr",
        "blockquote",
        "section",
        "article",
        "pre",
        "hr",
    }
    _SILENT = frozenset(("script", "style", "head", "title", "template"))

    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[str] = []
        self._silent = 0
        self._links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._silent += tag in self._SILENT
        if tag in self._BLOCKS or tag == "br":
            self.pieces.append("\n" if tag == "br" else "\n\n")
        elif tag == "li":
            self.pieces.append("\n- ")
        elif tag == "a":
            self._links.append(dict(attrs).get("href") or "")

    def handle_endtag(self, tag: str) -> None:
        if tag in self._SILENT and self._silent:
            self._silent -= 1
        elif tag in self._BLOCKS:
            self.pieces.append("\n\n")
        elif tag == "a" and self._links:
            link = self._links.pop()
            self.pieces.append(f" ({link})" if link.startswith(_FOLLOWED) else "")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.pieces.append(data.replace("\n", " "))
