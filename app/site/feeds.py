"""The RSS feed: whole posts, newest first, in XML that every parser takes.

XML 1.0 has no way to write most control characters, not even escaped: one 0x10 pasted into a title would make
the whole feed unreadable. They are stripped here, at the edge, whatever a post holds.
"""

import re
from collections.abc import Sequence
from datetime import datetime

from feedgen.feed import FeedGenerator

from app.answers import SiteFrame
from app.base.fields import scrub
from app.posts import LivePost, path_of

POSTS_IN_FEED = 30
_WITHIN = re.compile(r'( (?:href|src)=")/(?!/)')
RSS = "application/rss+xml; charset=utf-8"


def rss(site: SiteFrame, posts: Sequence[LivePost]) -> bytes:
    """The feed of a site. It has no date of its own making: the same posts give the same bytes."""
    feed = FeedGenerator()
    feed.title(scrub(site.name))
    feed.link(href=site.feed_url, rel="self")
    feed.link(href=site.url + "/", rel="alternate")  # the last one becomes the channel's own link
    feed.description(scrub(site.description) or scrub(site.name))
    feed.language(site.locale)
    feed.generator("Godwit")
    feed.lastBuildDate(
        max((_changed(post) for post in posts), default=datetime.fromtimestamp(0).astimezone())
    )
    for post in posts:
        entry = feed.add_entry(order="append")
        entry.guid(f"urn:uuid:{post.id}", permalink=False)
        entry.title(scrub(post.title))
        entry.link(href=site.url + path_of(post.slug))
        entry.published(post.published_at)
        entry.description(scrub(post.excerpt))
        entry.content(_whole(scrub(post.html), site.url), type="CDATA")
        for tag in post.tags:
            entry.category(term=scrub(tag))
    return feed.rss_str()


def _whole(html: str, url: str) -> str:
    """Links within the site as whole addresses: a feed is read elsewhere."""
    return _WITHIN.sub(lambda link: f"{link[1]}{url}/", html)


def _changed(post: LivePost) -> datetime:
    return post.updated_at or post.published_at
