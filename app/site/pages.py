"""The pages of a site: GET and HEAD only, no cookie, no script, one query each."""

import unicodedata
from datetime import datetime
from uuid import UUID

from litestar import Request, Response, get

from app.accounts import SiteVisit
from app.answers import Cursor, SiteFrame, page, rendered
from app.base.errors import Invalid, NotFound
from app.posts import live_post, live_posts
from app.site.caching import kept
from app.site.feeds import POSTS_IN_FEED, RSS, rss
from app.site.views import post_view

HTML = "text/html; charset=utf-8"
POSTS_ON_PAGE = 20


@get("/")
async def home(request: Request, visit: SiteVisit, before: str = "") -> Response[bytes]:
    """The newest posts; `before` is a cursor."""
    site = visit.frame()
    async with visit.transaction() as tx:
        posts = await live_posts(tx, _older_than(before), POSTS_ON_PAGE + 1)
    shown = [post_view(site, post) for post in posts[:POSTS_ON_PAGE]]
    last = posts[POSTS_ON_PAGE - 1] if len(posts) > POSTS_ON_PAGE else None
    older = f"/?before={Cursor.encode(last.published_at, last.id)}" if last else ""
    body = rendered("themes/plain/home.html", site=site, posts=shown, older=older, first=not before)
    return kept(request, body.encode(), HTML)


@get("/feed.xml")
async def feed(request: Request, visit: SiteVisit) -> Response[bytes]:
    """The newest posts whole, as RSS."""
    async with visit.transaction() as tx:
        posts = await live_posts(tx, limit=POSTS_IN_FEED, bodies=True)
    return kept(request, rss(visit.frame(), posts), RSS)


@get("/{address:path}")
async def post(request: Request, visit: SiteVisit, address: str) -> Response[bytes] | Response[str]:
    """One post, or the site's own page for an address where nothing is: every other address ends here."""
    site = visit.frame()
    try:
        async with visit.transaction() as tx:
            found = await live_post(tx, unicodedata.normalize("NFC", address.strip("/")))
    except NotFound:
        return _nothing_here(site)
    body = rendered("themes/plain/post.html", site=site, post=post_view(site, found))
    return kept(request, body.encode(), HTML)


def _nothing_here(site: SiteFrame) -> Response[str]:
    """The site's own page for an address where nothing is."""
    headers = {"Cache-Control": "no-store"}
    return page("themes/plain/404.html", status=404, headers=headers, site=site)


def _older_than(cursor: str) -> tuple[datetime, UUID] | None:
    """Where the page goes on. One that is not ours shows the newest: a site has no errors to explain."""
    if not cursor:
        return None
    try:
        at, post_id = Cursor.decode(cursor, datetime, UUID)
    except Invalid:
        return None
    return at, post_id


HANDLERS: tuple = (home, feed, post)
