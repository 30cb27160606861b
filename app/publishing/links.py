"""The links and pictures of a post, as far as they can be tried without asking others (`elsewhere` does)."""

import asyncio
from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote, urljoin, urlsplit

from bs4 import BeautifulSoup, Tag

from app.accounts import Account
from app.base.database import Tx
from app.base.fields import scrub
from app.posts import Draft, provisional, standing

MOST_TOLD = 20
"""Sentences about single links; what is past them is counted."""
_PAGES = ("/", "/archive", "/subscribe", "/sign-in", "/me")
_OURS = frozenset((*_PAGES, "/feed.xml", "/feed.json", "/sitemap.xml", "/robots.txt"))
_WITHOUT_HOST = ("mailto", "tel", "sms")

Where = Literal["wrong", "fine", "site", "elsewhere"]


@dataclass(frozen=True)
class Tried:
    """What was wrong, as sentences, and how many links were there to look at; `elsewhere` were not tried.

    Pictures count as links: they lead to a file.
    """

    wrong: tuple[str, ...] = ()
    links: int = 0
    elsewhere: int = 0

    @property
    def words(self) -> str:
        """What was looked at, '' when there is no link."""
        if not self.links:
            return ""
        here = self.links - self.elsewhere
        told = (
            f"Looked up: {here:,} of {self.links:,} links and pictures, those within the post and your site."
            if here
            else ""
        )
        if not self.elsewhere:
            return told
        return f"{told} Links to other sites are asked for below.".strip()


@dataclass(frozen=True)
class Lead:
    """One link or picture, and where it leads: `wrong` with the sentence, `site` with a path to look up,
    `elsewhere` with its address there."""

    name: str
    where: Where
    told: str = ""
    path: str = ""


async def try_links(tx: Tx, draft: Draft, account: Account) -> Tried:
    """Try the links of the draft as it would go out, all of them at once.

    Raises what rendering raises (Invalid, TooLarge).
    """
    leads = await asyncio.to_thread(leads_of, draft, account)
    found = await standing(tx, {lead.path for lead in leads if lead.where == "site"})
    wrong = dict.fromkeys(told for lead in leads if (told := _wrong(lead, found)))
    return Tried(_shortened(list(wrong)), len(leads), sum(lead.where == "elsewhere" for lead in leads))


def leads_of(draft: Draft, account: Account) -> list[Lead]:
    """Every link and picture of the draft as it would go out, and where it leads; nothing is looked up."""
    frozen = provisional(draft)
    page = BeautifulSoup(frozen.html, "html.parser")
    anchors = {str(one["id"]) for one in page.find_all(id=True)}
    own = _OURS | {f"/{frozen.slug}"}
    found = [_link(link, account.site_url, anchors, own) for link in page.find_all("a", href=True)]
    found += [_picture(one, account.site_url) for one in page.find_all("img", src=True)]
    if frozen.cover:
        found.append(_lead("The cover", frozen.cover, account.site_url, frozenset()))
    return found


def _link(link: Tag, site_url: str, anchors: set[str], own: frozenset[str]) -> Lead:
    href = str(link["href"]).strip()
    words = " ".join(link.get_text().split())[:60] or href[:60]
    if href in ("", "#"):
        return Lead(words, "wrong", f"The link “{words}” leads nowhere: give it an address.")
    if href.startswith("#"):
        there = unquote(href[1:]) in anchors
        return Lead(
            words, "fine" if there else "wrong", f"“{words}” leads to a place that is not in the post."
        )
    return _lead(f"“{words}”", href, site_url, own)


def _picture(picture: Tag, site_url: str) -> Lead:
    src = str(picture["src"]).strip()
    words = " ".join(str(picture.get("alt") or "").split())[:60]
    return _lead(f"The picture “{words}”" if words else "A picture", src, site_url, frozenset())


def _lead(name: str, address: str, site_url: str, own: frozenset[str]) -> Lead:
    """Where an address leads. `own` are paths of the site that are there for sure."""
    improper = Lead(name, "wrong", f"{name} has no proper address: {address[:80]}")
    try:
        parts = urlsplit(urljoin(site_url + "/", address))
        host = parts.hostname or ""
    except ValueError:
        return improper
    if parts.scheme in _WITHOUT_HOST:
        return Lead(name, "fine")
    if host == urlsplit(site_url).hostname:
        path = "/" + unquote(parts.path).strip("/")
        return Lead(name, "fine" if path in own else "site", path=path)
    if parts.scheme not in ("http", "https") or ("." not in host and host != "localhost"):
        return improper
    return Lead(name, "elsewhere", path=urljoin(site_url + "/", address).partition("#")[0])


def _wrong(lead: Lead, found: frozenset[str]) -> str:
    """What is wrong with it, '' for nothing that can be seen."""
    if lead.where == "site" and lead.path not in found:
        return f"{lead.name} leads to {scrub(lead.path[:80])} on your site, where there is nothing."
    return lead.told if lead.where == "wrong" else ""


def _shortened(wrong: list[str]) -> tuple[str, ...]:
    if len(wrong) <= MOST_TOLD:
        return tuple(wrong)
    return (*wrong[:MOST_TOLD], f"{len(wrong) - MOST_TOLD:,} more links lead nowhere.")
