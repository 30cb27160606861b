"""The feeds: the newest posts as RSS 2.0 and as JSON Feed 1.1, through the same gate as the pages.

XML 1.0 has no way to write most control characters, not even escaped: one 0x10 pasted into a title would make
the whole feed unreadable. They are stripped here, at the edge, whatever a post holds; JSON's readers are
spared them too.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from html import escape

import msgspec
from feedgen.feed import FeedGenerator

from app.answers import iso
from app.base.fields import scrub
from app.plans import Viewer
from app.posts import LivePost, path_of
from app.site.editions import Edition
from app.site.gate import Seen, seen
from app.site.views import whole_address

POSTS_IN_FEED = 30
RSS = "application/rss+xml; charset=utf-8"
JSON_FEED = "application/feed+json; charset=utf-8"
_WITHIN = re.compile(r'( (?:href|src)=")/(?!/)')
_EPOCH = datetime.fromtimestamp(0).astimezone()


def rss(edition: Edition, posts: Sequence[LivePost], viewer: Viewer) -> bytes:
    """The feed of a site. It has no date of its own making: the same posts give the same bytes."""
    account = edition.account
    feed = FeedGenerator()
    feed.title(scrub(account.name))
    feed.link(href=account.site_url + "/feed.xml", rel="self")
    feed.link(href=account.site_url + "/", rel="alternate")  # the last one becomes the channel's own link
    feed.description(scrub(account.description) or scrub(account.name))
    feed.language(account.locale)
    feed.generator("Godwit")
    feed.lastBuildDate(max((post.updated_at or post.published_at for post in posts), default=_EPOCH))
    for post in posts:
        entry = feed.add_entry(order="append")
        entry.guid(f"urn:uuid:{post.id}", permalink=False)
        entry.title(scrub(post.title))
        entry.link(href=account.site_url + path_of(post.slug))
        entry.published(post.published_at)
        entry.description(scrub(post.excerpt))
        entry.content(_body(edition, post, viewer), type="CDATA")
        for tag in post.tags:
            entry.category(term=scrub(tag))
    return feed.rss_str()


def json_feed(edition: Edition, posts: Sequence[LivePost], viewer: Viewer) -> bytes:
    """The same as JSON."""
    account = edition.account
    told = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": scrub(account.name),
        "home_page_url": account.site_url + "/",
        "feed_url": account.site_url + "/feed.json",
        "description": scrub(account.description),
        "language": account.locale,
        "items": [_item(edition, post, viewer) for post in posts],
    }
    return msgspec.json.encode(told)


def _item(edition: Edition, post: LivePost, viewer: Viewer) -> dict[str, object]:
    url = edition.account.site_url
    item: dict[str, object] = {
        "id": f"urn:uuid:{post.id}",
        "url": url + path_of(post.slug),
        "title": scrub(post.title),
        "summary": scrub(post.excerpt),
        "content_html": _body(edition, post, viewer),
        "date_published": iso(post.published_at),
        "date_modified": iso(post.updated_at or post.published_at),
        "tags": [scrub(tag) for tag in post.tags],
    }
    if post.cover:
        item["image"] = whole_address(url, post.cover)
    return item


def _body(edition: Edition, post: LivePost, viewer: Viewer) -> str:
    shown = seen(edition.plans, post, viewer)
    return _whole(scrub(shown.html), edition.account.site_url) + _rest(edition, post, shown)


def _rest(edition: Edition, post: LivePost, shown: Seen) -> str:
    """Where the rest is, when this is not all."""
    if shown.invitation is None:
        return ""
    url = escape(edition.account.site_url + path_of(post.slug))
    title = escape(scrub(shown.invitation.title))
    return f'<p>{title}: <a href="{url}">read on at {escape(scrub(edition.account.name))}</a>.</p>'


def _whole(html: str, url: str) -> str:
    """Links within the site as whole addresses: a feed is read elsewhere."""
    return _WITHIN.sub(lambda link: f"{link[1]}{url}/", html)
