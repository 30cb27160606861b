"""A foreign post as ours: its Markdown, its pictures found in the file, its losses told."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from bs4 import BeautifulSoup

from app.base.errors import GodwitError
from app.imports.posts.foreign import ForeignPost
from app.posts import LIMITS, BroughtPost, Writing, can_be_read, from_html

_LEFT_OUT = {"iframe": "an embedded page", "video": "a video", "audio": "a recording", "form": "a form"}
_SIZED = re.compile(r"/size/w\d+(?:h\d+)?/")


@dataclass(frozen=True)
class Converted:
    """Ours, and what did not survive. `problem`: why it cannot be brought."""

    post: BroughtPost
    losses: tuple[str, ...]
    problem: str | None = None


def pictures_wanted(post: ForeignPost, held: Mapping[str, bytes]) -> dict[str, str]:
    """The addresses of pictures in the post that the file holds → their path in it."""
    soup = BeautifulSoup(post.html, "html.parser")
    addresses = [str(one.get("src") or "") for one in soup.find_all("img")] + [post.cover]
    return {one: path for one in addresses if one and (path := _held(one, held))}


def converted(post: ForeignPost, stored: Mapping[str, str]) -> Converted:
    """`stored`: an address in the post → where that picture stands here."""
    losses = list(post.losses)
    soup = BeautifulSoup(post.html, "html.parser")
    losses += _left_out(soup)
    losses += _point(soup, stored)
    text, problem, readable = "", post.problem, True
    try:
        text = from_html(str(soup))
        readable = can_be_read(text)
    except GodwitError as error:
        problem = problem or error.detail
    published = post.published_at
    if published and not readable:
        losses.append("There is nothing to read in it: it is a draft here.")
        published = None
    cover = stored.get(post.cover, post.cover)
    if cover and not cover.startswith(("http://", "https://", "/media/")):
        losses.append(f"Its cover is not in the file: {cover[:200]}.")
        cover = ""
    writing = _writing(post, text, cover, losses)
    brought = BroughtPost(
        post.origin, writing, post.created_at, post.updated_at, published, tuple(map(_path, post.paths))
    )
    return Converted(brought, tuple(dict.fromkeys(losses)), problem)


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
        slug=post.slug[: LIMITS["slug"]],
        tags=tags[: LIMITS["tags"]],
        access=post.access,
        kind=post.kind,
        cover=cover[:2000],
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
        elif (host := urlsplit(address).hostname) is not None:
            elsewhere[host] = elsewhere.get(host, 0) + 1
        elif address:
            missing.append(f"A picture is not in the file: {address[:200]}.")
    told = [
        f"{count} picture{'' if count == 1 else 's'} still load{'s' if count == 1 else ''} from {host}."
        for host, count in elsewhere.items()
    ]
    return told + missing


def _held(address: str, held: Mapping[str, bytes]) -> str | None:
    """The file of this picture, by the end of its path: Ghost asks for sizes that it makes on the way."""
    path = _SIZED.sub("/", unquote(urlsplit(address).path)).lstrip("/")
    if not path:
        return None
    return next((name for name in held if name == path or name.endswith("/" + path)), None)


def _path(path: str) -> str:
    return path.rstrip("/")[:500] or "/"
