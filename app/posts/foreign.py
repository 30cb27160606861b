"""The habits of programs that people write in: their HTML, made plain before it becomes Markdown.

Google Docs says bold by a style and wraps everything in a bold that is none; Word writes lists as
paragraphs; Substack and Ghost have cards of their own. `plain_html` changes the tree in place: what stays is
elements that mean what they are called, and four of our own making (CARD, PAYWALL, NOTE, NOTE_MARK).
"""

import re
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

from bs4 import BeautifulSoup, Comment, Tag
from bs4.element import PageElement, PreformattedString

from app.posts.foreign_notes import NOTE, NOTE_MARK, find_notes
from app.posts.word_lists import find_lists

__all__ = ["CARD", "NOTE", "NOTE_MARK", "PAYWALL", "plain_html"]

CARD, PAYWALL = "godwit_card", "godwit_paywall"
_DROPPED = "script,style,head,meta,link,title,svg,noscript,template,object,form,input,select,textarea"
_NEVER_TEXT = (
    ".subscription-widget-wrap,.subscription-widget,.subscribe-widget,.kg-signup-card,.kg-product-card-rating"
)
_PAYWALLS = ("members-only", "paywall")
_SCHEMES = ("http", "https", "mailto")
_LINE_END = re.compile(r"[\r\n\t\f]")
_BOLD = re.compile(r"font-weight:\s*(bold|[6-9]00)")
_NOT_BOLD = re.compile(r"font-weight:\s*(normal|[1-5]00)")
_ITALIC = re.compile(r"font-style:\s*italic")
_STRUCK = re.compile(r"text-decoration(-line)?:[^;]*line-through")
_COUNTS = ("colspan", "rowspan", "start", "value")
_COUNT = re.compile(r"[0-9]{1,4}")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")


def plain_html(soup: BeautifulSoup) -> int:
    """Make the tree plain; answers how many pictures could not come along."""
    _paywalls(soup)
    for note in soup.find_all(string=lambda text: isinstance(text, PreformattedString)):
        note.extract()  # comments, and what Word writes between its own brackets
    for tag in soup.select(_DROPPED + "," + _NEVER_TEXT):
        tag.decompose()
    for text in soup.find_all(string=_LINE_END):
        if text.find_parent("pre") is None:
            text.replace_with(re.sub(r"[ \t\r\n\f]+", " ", text))
    _cards(soup)
    find_lists(soup)
    find_notes(soup)
    _emphasis(soup)
    _headings(soup)
    _links(soup)
    _nested_lists(soup)
    _counts(soup)
    return _pictures(soup)


def _paywalls(soup: BeautifulSoup) -> None:
    for comment in soup.find_all(string=lambda text: isinstance(text, Comment)):
        if comment.strip().lower() in _PAYWALLS:
            comment.replace_with(soup.new_tag(PAYWALL))
    for tag in _standing(soup, ".paywall-jump, [data-component-name=PaywallToDOM]"):
        tag.replace_with(soup.new_tag(PAYWALL))


def _cards(soup: BeautifulSoup) -> None:
    for tag in _standing(soup, ".kg-bookmark-card"):
        title, link = tag.select_one(".kg-bookmark-title"), tag.select_one("a[href]")
        _put(tag, _link(soup, link, title.get_text(" ", strip=True) if title else ""))
    for tag in _standing(soup, ".kg-button-card, .button-wrapper"):
        link = tag.select_one("a[href]")
        _put(tag, _card(soup, "button", [_link(soup, link, link.get_text(" ", strip=True) if link else "")]))
    for tag in _standing(soup, ".kg-callout-card, .callout-block"):
        words = tag.select_one(".kg-callout-text") or tag
        emoji = tag.select_one(".kg-callout-emoji")
        before = [emoji.get_text(strip=True) + " "] if emoji else []
        _put(tag, _card(soup, "callout", [*before, *list(words.contents)]))
    for tag in _standing(soup, ".pullquote, .kg-blockquote-alt"):
        _put(tag, _card(soup, "quote", list(tag.contents)))
    for tag in _standing(soup, ".kg-gallery-card, .image-gallery-embed"):
        paragraph = soup.new_tag("p")
        paragraph.extend(tag.select("img"))
        rest = list(tag.find_all("figcaption"))
        _put(tag, _card(soup, "gallery", [paragraph]), *rest)
    for tag in soup.select(".kg-toggle-card"):
        for heading in tag.select(".kg-toggle-heading-text"):
            heading.name = "h3"
    for frame in _standing(soup, "iframe, embed, video, audio"):
        address = str(frame.get("src") or (frame.source.get("src") if frame.source else "") or "")
        link = soup.new_tag("a", href="https:" + address if address.startswith("//") else address)
        link.string = str(frame.get("title") or address)
        frame.replace_with(link)


def _standing(soup: BeautifulSoup, selector: str) -> Iterator[Tag]:
    """What is selected, without what went away with an earlier one that it stood in."""
    return (tag for tag in soup.select(selector) if not tag.decomposed and tag.parent is not None)


def _card(soup: BeautifulSoup, name: str, inside: list[PageElement | str | None]) -> Tag:
    card = soup.new_tag(CARD, attrs={"name": name})
    for part in inside:
        if part is not None:
            card.append(part)
    return card


def _link(soup: BeautifulSoup, link: Tag | None, words: str) -> Tag | None:
    if link is None:
        return None
    made = soup.new_tag("a", href=str(link["href"]))
    made.string = words or str(link["href"])
    return made


def _put(tag: Tag, *others: Tag | None) -> None:
    """Others in the place of a tag; each stands as a block."""
    kept = [other for other in others if other is not None]
    for other in kept:
        if other.name == "a":
            paragraph = BeautifulSoup("", "html.parser").new_tag("p")
            paragraph.append(other)
            other = paragraph
        tag.insert_before(other)
    tag.decompose()


def _emphasis(soup: BeautifulSoup) -> None:
    """Emphasis by style as emphasis by element; and none that only says that there is none."""
    for tag in soup.find_all(["b", "strong", "i", "em"]):
        style = str(tag.get("style") or "").lower()
        said_off = _NOT_BOLD if tag.name in ("b", "strong") else re.compile(r"font-style:\s*normal")
        if said_off.search(style):
            tag.unwrap()
    for tag in soup.find_all(["span", "font"], style=True):
        style = str(tag["style"]).lower()
        names = [
            name
            for name, told in (("strong", _BOLD), ("em", _ITALIC), ("del", _STRUCK))
            if told.search(style)
        ]
        if tag.find_parent(_HEADINGS) is not None:
            names = [name for name in names if name != "strong"]
        for name in names if tag.get_text(strip=True) else []:
            tag.wrap(soup.new_tag(name))
    for tag in soup.find_all([*_HEADINGS, "figcaption"]):
        for bold in tag.find_all(["b", "strong"] if tag.name != "figcaption" else ["b", "strong", "i", "em"]):
            bold.unwrap()
    _join_neighbours(soup)


def _join_neighbours(soup: BeautifulSoup) -> None:
    """`**a****b**` is read as something else: emphasis that goes on is one."""
    for tag in soup.find_all(["strong", "b", "em", "i", "del"]):
        follower = tag.next_sibling
        while isinstance(follower, Tag) and follower.name == tag.name:
            after = follower.next_sibling
            tag.extend(list(follower.contents))
            follower.decompose()
            follower = after


def _headings(soup: BeautifulSoup) -> None:
    """The page has its h1 already, the post's title: when a text has some of its own, all go down by one."""
    for tag in soup.select("p.MsoTitle, p.title"):
        tag.name = "h1"
    for tag in soup.select("p.MsoQuote, p.MsoIntenseQuote"):
        tag.name = "blockquote"
    for tag in soup.find_all(_HEADINGS):
        if not tag.get_text(strip=True) and not tag.find("img"):
            tag.decompose()
    if soup.find("h1") is not None:
        for tag in soup.find_all(_HEADINGS):
            tag.name = f"h{min(6, int(tag.name[1]) + 1)}"


def _links(soup: BeautifulSoup) -> None:
    for tag in soup.find_all("a"):
        href = str(tag.get("href") or "").strip()
        href = _behind_google(href)
        told = href.partition(":")[0].lower() if re.match(r"[a-zA-Z][\w+.-]*:", href) else ""
        pictures = tag.find_all("img")
        around_picture = pictures and not tag.get_text(strip=True)
        if not href or href.startswith("#") or (told and told not in _SCHEMES) or around_picture:
            tag.unwrap()
        else:
            tag["href"] = href


def _behind_google(href: str) -> str:
    """Where a link leads that Docs sends by way of Google; any other as it is."""
    try:
        parts = urlsplit(href)
    except ValueError:  # no address at all, such as `http://[`: it stays what was written
        return href
    if parts.netloc != "www.google.com" or parts.path != "/url":
        return href
    asked = parse_qs(parts.query)
    return (asked.get("q") or asked.get("url") or [href])[0]


def _counts(soup: BeautifulSoup) -> None:
    """Numbers that are none are taken away: a browser does not heed them, and no converter has to."""
    for tag in soup.find_all(lambda tag: any(tag.has_attr(name) for name in _COUNTS)):
        for name in _COUNTS:
            if tag.has_attr(name) and not _COUNT.fullmatch(str(tag[name]).strip()):
                del tag[name]


def _nested_lists(soup: BeautifulSoup) -> None:
    """A list that stands between items belongs into the one before it."""
    for tag in soup.find_all(["ul", "ol"]):
        if tag.parent is None or tag.parent.name not in ("ul", "ol"):
            continue
        item = tag.find_previous_sibling("li")
        if item is not None:
            item.append(tag.extract())
        else:
            tag.wrap(soup.new_tag("li"))
    for item in soup.find_all("li"):
        paragraphs = item.find_all("p", recursive=False)
        if len(paragraphs) == 1:  # Docs puts each item into a paragraph, which would set the list wide
            paragraphs[0].unwrap()


def _pictures(soup: BeautifulSoup) -> int:
    lost = 0
    for tag in soup.find_all("img"):
        source = str(tag.get("src") or "").strip()
        scheme = source.partition(":")[0].lower() if re.match(r"[a-zA-Z][\w+.-]*:", source) else ""
        if source and (scheme in ("", "http", "https") or source.startswith("data:image/")):
            tag["src"] = source
            continue
        lost += 1
        tag.decompose()
    return lost
