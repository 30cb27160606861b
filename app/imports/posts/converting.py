"""A foreign post as ours: its Markdown, its pictures found in the file, its losses told.

All of it is work for a thread, with no transaction open: a long text takes a second.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from bs4 import BeautifulSoup

from app.base import clock
from app.base.errors import TooLarge
from app.imports.posts.archive import Pictures
from app.imports.posts.foreign import ForeignPost
from app.posts import LIMITS, BroughtPost, ReadyPost, Writing, from_html, ready_post, slug_of

MOST_HTML = 4_000_000
"""Characters: a post of ours holds 300,000, and HTML is seldom ten times its text."""
MOST_MARKUP = 250_000
"""`<` in one post."""
LONGEST_PATH = 500
_LEFT_OUT = {"iframe": "an embedded page", "video": "a video", "audio": "a recording", "form": "a form"}
_COVER = re.compile(r"(https?://|/media/)[^\s<>\"']{1,1900}")


@dataclass(frozen=True)
class Opened:
    """A foreign post with its text taken apart."""

    post: ForeignPost
    soup: BeautifulSoup
    losses: tuple[str, ...]


@dataclass(frozen=True)
class Converted:
    """Ours, rendered, and what did not survive."""

    post: ReadyPost
    losses: tuple[str, ...]


def opened(post: ForeignPost) -> Opened:
    """Read its text. Raises TooLarge, and anything that a text of anybody's making raises."""
    html, losses = post.body()
    if len(html) > MOST_HTML or html.count("<") > MOST_MARKUP:
        raise TooLarge(f"Its text has {len(html):,} characters of HTML. Split it into several posts.")
    return Opened(post, BeautifulSoup(html, "html.parser"), losses)


def pictures_wanted(there: Opened, held: Pictures) -> dict[str, str]:
    """The addresses of pictures in the post that the file holds → their path in it."""
    addresses = [str(one.get("src") or "") for one in there.soup.find_all("img")] + [there.post.cover]
    return {one: path for one in addresses if one and (path := held.path_of(one))}


def pictures_elsewhere(there: Opened, held: Pictures) -> list[str]:
    """The addresses of pictures in the post that the file does not hold and some site may."""
    addresses = [str(one.get("src") or "") for one in there.soup.find_all("img")] + [there.post.cover]
    away = [one for one in dict.fromkeys(addresses) if one.startswith(("https://", "http://")) and _host(one)]
    return [one for one in away if held.path_of(one) is None]


def converted(there: Opened, stored: Mapping[str, str]) -> Converted:
    """`stored`: an address in the post → where that picture stands here. Raises GodwitError and others."""
    post, soup = there.post, there.soup
    losses = [*post.losses, *there.losses, *_left_out(soup), *_point(soup, stored)]
    cover = stored.get(post.cover, post.cover)
    if cover and not _COVER.fullmatch(cover):
        losses.append(f"Its cover is not in the file: {cover[:200]}.")
        cover = ""
    ready = ready_post(brought(post, _writing(post, from_html(str(soup)), cover, losses)))
    if ready.post.published_at and not ready.can_be_read:
        losses.append("There is nothing to read in it: it is a draft here.")
        ready = replace(ready, post=replace(ready.post, published_at=None))
    return Converted(ready, tuple(dict.fromkeys(losses)))


def brought(post: ForeignPost, writing: Writing) -> BroughtPost:
    """The post with this for its text. What has no time in the file has that of its import."""
    created = post.created_at or clock.now()
    paths = [path.rstrip("/") or "/" for path in post.paths]
    return BroughtPost(
        post.origin,
        writing,
        created,
        post.updated_at or created,
        post.published_at or (created if post.undated else None),
        tuple(path for path in paths if len(path) <= LONGEST_PATH),
    )


def slug_wanted(post: ForeignPost) -> str:
    """The slug that it asks for; '' when no letter is in it."""
    return slug_of(post.slug)


def _writing(post: ForeignPost, text: str, cover: str, losses: list[str]) -> Writing:
    def cut(words: str, name: str, most: int) -> str:
        if len(words) <= most:
            return words
        losses.append(f"Its {name} is cut after {most} characters.")
        return words[: most - 1].rstrip() + "…"

    tags = tuple(dict.fromkeys(cut(tag, "tag", LIMITS["tag"]) for tag in post.tags))
    if len(tags) > LIMITS["tags"]:
        losses.append(f"It has {len(tags)} tags; {LIMITS['tags']} are kept.")
    return Writing(
        title=cut(post.title, "title", LIMITS["title"]) or "Untitled",
        markdown=text,
        excerpt=cut(post.excerpt, "excerpt", LIMITS["excerpt"]),
        slug=slug_wanted(post),
        tags=tags[: LIMITS["tags"]],
        access=post.access,
        kind=post.kind,
        cover=cover,
        cover_alt=post.cover_alt[:500],
        seo_title=post.seo_title[:255],
        seo_description=post.seo_description[:500],
    )


def _left_out(soup: BeautifulSoup) -> list[str]:
    found: list[str] = []
    for name, words in _LEFT_OUT.items():
        for tag in soup.find_all(name):
            where = str(tag.get("src") or "")
            found.append(f"It held {words}, which is left out{': ' + where[:200] if where else ''}.")
    return found


def _point(soup: BeautifulSoup, stored: Mapping[str, str]) -> list[str]:
    """Pictures that are here now get their address here; of others it says where they load from."""
    elsewhere: dict[str, int] = {}
    missing: list[str] = []
    for image in soup.find_all("img"):
        address = str(image.get("src") or "")
        if address in stored:
            image["src"] = stored[address]
            del image["srcset"]
        elif host := _host(address):
            elsewhere[host] = elsewhere.get(host, 0) + 1
        elif address:
            missing.append(f"A picture is not in the file: {address[:200]}.")
    told = [
        f"{count} picture{'' if count == 1 else 's'} still load{'s' if count == 1 else ''} from {host}."
        for host, count in elsewhere.items()
    ]
    return told + missing


def _host(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:  # what is no address leads nowhere
        return None
