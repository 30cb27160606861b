"""The links of a post, as far as they can be tried without asking other sites."""

from dataclasses import dataclass
from urllib.parse import unquote, urljoin, urlsplit

from bs4 import BeautifulSoup, Tag

from app.accounts import Account
from app.base.database import Tx
from app.base.errors import NotFound
from app.posts import Draft, live_post, provisional, redirected

MOST = 100
"""Links of one post that are tried."""
_OURS = ("", "archive", "subscribe", "sign-in", "me", "feed.xml", "feed.json", "sitemap.xml")
_WITHOUT_HOST = ("mailto", "tel", "sms")


@dataclass(frozen=True)
class Tried:
    """What was wrong, as sentences, and how many links were there to look at; `elsewhere` were not tried."""

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
            f"Looked up: {here} of {self.links} links, those within the post and your site." if here else ""
        )
        if not self.elsewhere:
            return told
        rest = (
            "Links to other sites are checked for their form only: nothing is asked of other sites from here."
        )
        return f"{told} {rest}".strip()


async def try_links(tx: Tx, draft: Draft, account: Account) -> Tried:
    """Try the links of the draft as it would go out. Raises what rendering raises (Invalid, TooLarge)."""
    frozen = provisional(draft)
    page = BeautifulSoup(frozen.html, "html.parser")
    anchors = {str(one["id"]) for one in page.find_all(id=True)}
    links = page.find_all("a", href=True)[:MOST]
    wrong: list[str] = []
    elsewhere = 0
    for link in links:
        told, away = await _try(tx, account, link, anchors, frozen.slug)
        elsewhere += away
        if told and told not in wrong:
            wrong.append(told)
    return Tried(tuple(wrong), len(links), elsewhere)


async def _try(tx: Tx, account: Account, link: Tag, anchors: set[str], own_slug: str) -> tuple[str, bool]:
    """What is wrong with one link ('': nothing that can be seen), and whether it leads elsewhere."""
    href = str(link["href"]).strip()
    words = " ".join(link.get_text().split())[:60] or href[:60]
    if href in ("", "#"):
        return f"The link “{words}” leads nowhere: give it an address.", False
    if href.startswith("#"):
        return (
            "" if unquote(href[1:]) in anchors else f"“{words}” leads to a place that is not in the post."
        ), False
    try:
        parts = urlsplit(urljoin(account.site_url + "/", href))
        host = parts.hostname or ""
    except ValueError:
        return f"The link “{words}” has no proper address: {href[:80]}", False
    if parts.scheme in _WITHOUT_HOST:
        return "", False
    if host == urlsplit(account.site_url).hostname:
        path = unquote(parts.path)
        found = await _stands(tx, path, own_slug)
        return (
            "" if found else f"“{words}” leads to {path[:80]} on your site, where there is nothing."
        ), False
    if parts.scheme not in ("http", "https") or ("." not in host and host != "localhost"):
        return f"The link “{words}” has no proper address: {href[:80]}", False
    return "", True


async def _stands(tx: Tx, path: str, own_slug: str) -> bool:
    bare = path.strip("/")
    if bare in _OURS or bare == own_slug or bare.startswith(("tag/", "media/", "archive/")):
        return True
    try:
        await live_post(tx, bare)
    except NotFound:
        return await redirected(tx, "/" + bare) is not None
    return True
