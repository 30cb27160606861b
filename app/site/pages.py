"""The pages of a site: GET and HEAD only. Each asks what it shows once, and renders it for one viewer."""

import unicodedata
from datetime import UTC, datetime
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from litestar import Request, Response, get

from app.answers import Cursor, Link, framed_mail, rendered
from app.answers import page as whole_page
from app.base.database import Tx
from app.base.errors import Invalid, NotFound
from app.ledger import web_view
from app.plans import Viewer
from app.posts import (
    Span,
    live_addresses,
    live_post,
    live_posts,
    live_tags,
    live_titles,
    live_years,
    post_counts,
    redirected,
    slug_of,
    tagged_posts,
)
from app.site.editions import Edition
from app.site.feeds import JSON_FEED, POSTS_IN_FEED, RSS, json_feed, rss
from app.site.gate import seen
from app.site.sitemaps import ADDRESSES_IN_PART, PLAIN, XML, index, part_asked, robots, urlset
from app.site.views import post_view, years_of
from app.site.visiting import Body, editions_of, is_reader, shown

HTML = "text/html; charset=utf-8"
POSTS_ON_PAGE, TITLES_ON_PAGE = 20, 100
_FIRST_YEAR, _LAST_YEAR = 1970, 9998


@get("/")
async def home(request: Request, edition: Edition, before: str = "") -> Response[bytes]:
    """The newest posts; `before` is a cursor."""
    place = _older_than(before)

    async def make(tx: Tx, viewer: Viewer) -> Body:
        posts = await live_posts(tx, place, POSTS_ON_PAGE + 1)
        views = [
            post_view(edition, post, seen(edition.plans, post, viewer)) for post in posts[:POSTS_ON_PAGE]
        ]
        older = f"/?before={_cursor(posts[POSTS_ON_PAGE - 1])}" if len(posts) > POSTS_ON_PAGE else ""
        return _html("themes/plain/home.html", edition, viewer, posts=views, older=older, first=place is None)

    return await shown(request, edition, ("/", before if place else ""), make)


@get("/archive")
async def archive(request: Request, edition: Edition, year: str = "", before: str = "") -> Response[bytes]:
    """Every title, by year; one year with `year`, on from the cursor `before`."""
    place, one = _older_than(before), _year(year)

    async def make(tx: Tx, viewer: Viewer) -> Body:
        titles = await live_titles(tx, _span(one, edition.account.zone), place, TITLES_ON_PAGE + 1)
        years = await live_years(tx, edition.account.zone)
        last = titles[TITLES_ON_PAGE - 1] if len(titles) > TITLES_ON_PAGE else None
        asked = f"year={one}&" if one else ""
        return _html(
            "themes/plain/archive.html",
            edition,
            viewer,
            groups=years_of(edition, titles[:TITLES_ON_PAGE]),
            years=years,
            year=one,
            older=f"/archive?{asked}before={_cursor(last)}" if last else "",
            first=place is None,
        )

    query = f"{one or ''}&{before if place else ''}" if one or place else ""
    return await shown(request, edition, ("/archive", query), make)


@get("/tag/{name:str}")
async def tag(request: Request, edition: Edition, name: str, before: str = "") -> Response[Any]:
    """The posts with a tag; tags that differ in capitals or marks only are one."""
    place, wanted = _older_than(before), slug_of(name)

    async def make(tx: Tx, viewer: Viewer) -> Body:
        tags = [one.name for one in await live_tags(tx) if slug_of(one.name) == wanted]
        if not tags or not wanted:
            raise NotFound("No post has this tag.")
        posts = await tagged_posts(tx, tags, place, POSTS_ON_PAGE + 1)
        views = [
            post_view(edition, post, seen(edition.plans, post, viewer)) for post in posts[:POSTS_ON_PAGE]
        ]
        older = f"?before={_cursor(posts[POSTS_ON_PAGE - 1])}" if len(posts) > POSTS_ON_PAGE else ""
        here = Link(tags[0], f"/tag/{wanted}")
        return _html(
            "themes/plain/tag.html", edition, viewer, tag=here, posts=views, older=older, first=place is None
        )

    try:
        return await shown(request, edition, (f"/tag/{wanted}", before if place else ""), make)
    except NotFound:
        return _nothing_here(request, edition)


@get("/feed.xml")
async def feed(request: Request, edition: Edition) -> Response[bytes]:
    """The newest posts as RSS."""

    async def make(tx: Tx, viewer: Viewer) -> Body:
        return rss(edition, await live_posts(tx, limit=POSTS_IN_FEED, bodies=True), viewer), RSS

    return await shown(request, edition, ("/feed.xml", ""), make)


@get("/feed.json")
async def feed_json(request: Request, edition: Edition) -> Response[bytes]:
    """The newest posts as a JSON feed."""

    async def make(tx: Tx, viewer: Viewer) -> Body:
        return json_feed(edition, await live_posts(tx, limit=POSTS_IN_FEED, bodies=True), viewer), JSON_FEED

    return await shown(request, edition, ("/feed.json", ""), make)


@get("/sitemap.xml")
async def sitemap(request: Request, edition: Edition, part: str = "") -> Response[Any]:
    """Every live address; an index of its parts when there are more than fit in one."""
    url, number = edition.account.site_url, part_asked(part)
    if number is None:
        return _nothing_here(request, edition)

    async def make(tx: Tx, viewer: Viewer) -> Body:
        counts = await post_counts(tx)
        count = counts.published + counts.changed
        if not number and count > ADDRESSES_IN_PART:
            return index(url, count), XML
        skip = max(0, number - 1) * ADDRESSES_IN_PART
        found = await live_addresses(tx, skip, ADDRESSES_IN_PART)
        if number and not found:
            raise NotFound("There is no such part.")
        return urlset(url, found, first=number <= 1), XML

    try:
        return await shown(request, edition, ("/sitemap.xml", str(number or "")), make)
    except NotFound:
        return _nothing_here(request, edition)


@get("/robots.txt")
async def robots_txt(request: Request, edition: Edition) -> Response[bytes]:
    """What robots are asked."""

    async def make(tx: Tx, viewer: Viewer) -> Body:
        return robots(edition.account.site_url), PLAIN

    return await shown(request, edition, ("/robots.txt", ""), make)


@get("/mail/{token:str}")
async def mail(request: Request, edition: Edition, token: str) -> Response[str]:
    """A copy in a browser, exactly as its reader got it; found by nobody who has not got its link."""
    async with editions_of(request).look(edition.account.id) as tx:
        found = await web_view(tx, token)
    if found is None:
        return _nothing_here(request, edition)
    response = framed_mail(found.html)
    response.headers["X-Robots-Tag"] = "noindex, nofollow, noarchive"
    return response


@get("/{address:path}")
async def post(request: Request, edition: Edition, address: str) -> Response[Any]:
    """A post or a page, where it moved to, or the site's own page for an address where nothing is.

    Every address that is no other page's ends here.
    """
    slug, moved = unicodedata.normalize("NFC", address.strip("/")), []

    async def make(tx: Tx, viewer: Viewer) -> Body:
        try:
            found = await live_post(tx, slug)
        except NotFound:
            moved.append(await redirected(tx, _asked(request)))
            raise
        view = post_view(edition, found, seen(edition.plans, found, viewer))
        return _html("themes/plain/post.html", edition, viewer, post=view)

    try:
        return await shown(request, edition, (f"/{slug}", ""), make)
    except NotFound:
        if moved and moved[0]:
            headers = {"Location": moved[0], "Cache-Control": "public, max-age=0, s-maxage=10"}
            return Response("", status_code=301, headers=headers)
        return _nothing_here(request, edition)


def _html(template: str, edition: Edition, viewer: Viewer, **context: Any) -> Body:
    site, parts = edition.frames[viewer.reader_id is not None]
    body = rendered(template, site=site, frame=parts, **context)
    return body.encode(), HTML


def _nothing_here(request: Request, edition: Edition) -> Response[str]:
    """The site's own page for an address where nothing is."""
    headers = {"Cache-Control": "no-store"}
    site = edition.frame(signed_in=is_reader(request))
    return whole_page("themes/plain/404.html", status=404, headers=headers, site=site)


def _asked(request: Request) -> str:
    """The path as redirects know it: decoded, without a slash at its end."""
    path = unicodedata.normalize("NFC", request.scope["path"]).replace("\0", "?")
    return "/" + path.strip("/")


def _cursor(last: Any) -> str:
    return Cursor.encode(last.published_at, last.id)


def _older_than(cursor: str) -> tuple[datetime, UUID] | None:
    """Where the page goes on. One that is not ours shows the newest: a site has no errors to explain."""
    if not cursor:
        return None
    try:
        at, post_id = Cursor.decode(cursor, datetime, UUID)
    except Invalid:
        return None
    return at, post_id


def _year(given: str) -> int | None:
    """The year asked for; what is none shows all of them."""
    year = int(given) if len(given) == 4 and given.isascii() and given.isdigit() else 0
    return year if _FIRST_YEAR <= year <= _LAST_YEAR else None


def _span(year: int | None, zone: str) -> Span:
    if year is None:
        return Span()
    begins = [datetime(one, 1, 1, tzinfo=ZoneInfo(zone)).astimezone(UTC) for one in (year, year + 1)]
    return Span(*begins)


HANDLERS: tuple = (home, archive, tag, feed, feed_json, sitemap, robots_txt, mail, post)
