"""Lists as Word writes them: paragraphs that look like items, with their sign as text before them."""

import re

from bs4 import BeautifulSoup, Tag

_LEVEL = re.compile(r"mso-list:\s*\S+\s+level(\d)")
_NUMBERED = re.compile(r"^\(?\s*([0-9]{1,4}|[a-zA-Z]{1,4})\s*[.)]")


def find_lists(soup: BeautifulSoup) -> None:
    """Each run of such paragraphs becomes one list, with lists in it."""
    paragraphs = [tag for tag in soup.find_all("p", style=True) if _level(tag)]
    seen: set[int] = set()
    for first in paragraphs:
        if id(first) in seen:
            continue
        run = [first]
        while (follower := run[-1].find_next_sibling()) is not None and _level(follower):
            run.append(follower)
        seen |= {id(tag) for tag in run}
        _replace(soup, run)


def _level(tag: Tag) -> int:
    found = _LEVEL.search(str(tag.get("style") or "")) if tag.name == "p" else None
    return min(int(found[1]), 9) if found else 0


def _replace(soup: BeautifulSoup, run: list[Tag]) -> None:
    top: Tag | None = None
    open_lists: list[tuple[int, Tag]] = []
    for paragraph in run:
        level, kind = _level(paragraph), _take_sign(paragraph)
        while open_lists and open_lists[-1][0] > level:
            open_lists.pop()
        if open_lists and open_lists[-1][0] == level and open_lists[-1][1].name != kind:
            open_lists.pop()
        if not open_lists or open_lists[-1][0] < level:
            made = soup.new_tag(kind)
            if open_lists:
                items = open_lists[-1][1].find_all("li", recursive=False)
                items[-1].append(made)
            elif top is None:
                paragraph.insert_before(made)
                top = made
            else:
                top.insert_after(made)
                top = made
            open_lists.append((level, made))
        item = soup.new_tag("li")
        item.extend(list(paragraph.contents))
        open_lists[-1][1].append(item)
    for paragraph in run:
        paragraph.decompose()


def _take_sign(paragraph: Tag) -> str:
    """Take the bullet or number out of the paragraph; answers which list it stands for."""
    sign = ""
    for tag in paragraph.find_all("span", style=re.compile(r"mso-list:\s*Ignore", re.IGNORECASE)):
        sign += tag.get_text()
        tag.decompose()
    return "ol" if _NUMBERED.match(sign.strip()) else "ul"
