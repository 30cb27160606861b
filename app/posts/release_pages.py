"""The studio's pages of published versions."""

from collections import Counter
from dataclasses import dataclass
from uuid import UUID

from litestar import Response, get
from litestar.response import Stream

from app.accounts import Desk
from app.answers import live_stream, page, plural, rendered
from app.posts.queries import PostLine, post_line
from app.posts.release_queries import Change, Release, newest_number, newest_releases, release
from app.posts.releases import restoration
from app.posts.slugs import path_of
from app.webhooks import Telling, read_telling

ON_PAGE = 50
_WORDS = {
    "updated": "goes back to an older text",
    "published": "comes back to the site",
    "unpublished": "leaves the site",
}
_MANY = {
    "updated": "go back to an older text",
    "published": "come back to the site",
    "unpublished": "leave the site",
}


@dataclass(frozen=True)
class VersionPage:
    """One published version, and what bringing it back would change. `urls` are of posts on the site.

    `newest` is the number of the version that was the newest when this was worked out. `telling`: which other
    programs were told of it.
    """

    release: Release
    urls: dict[UUID, str]
    restoring: tuple[Change, ...]
    newest: int
    telling: Telling

    @property
    def size(self) -> str:
        """How much restoring it changes, in words."""
        return size_of(self.restoring)

    @property
    def opening(self) -> tuple[Change, ...]:
        """Those that somebody could read by it who may not now."""
        return tuple(change for change in self.restoring if change.opens)


@dataclass(frozen=True)
class UnpublishPage:
    """A post that may leave the site, and where it stands."""

    line: PostLine
    url: str


@get("/releases")
async def releases(desk: Desk, before: int | None = None) -> Response[str]:
    """Published versions, newest first."""
    async with desk.transaction() as tx:
        listed = await newest_releases(tx, before, ON_PAGE + 1)
    older = listed[ON_PAGE - 1].number if len(listed) > ON_PAGE else None
    return page(
        "releases/list.html",
        shell=desk.shell("published"),
        releases=listed[:ON_PAGE],
        first=before is None,
        older=older,
    )


@get("/releases/{number:int}")
async def one_release(desk: Desk, number: int) -> Response[str]:
    """One published version: what changed, who was told, and what bringing it back would do."""
    return page("releases/show.html", shell=desk.shell("published"), page=await version_page(desk, number))


@get("/releases/{number:int}/live")
async def telling_live(desk: Desk, number: int) -> Stream:
    """The stream that repaints who was told."""
    webhooks, releases, zone = desk.url("endpoints"), desk.url("releases"), desk.account.zone

    async def look() -> Telling:
        async with desk.transaction() as tx:
            await release(tx, number)
            return await read_telling(tx, number)

    def draw(telling: Telling) -> str:
        return rendered(
            "webhooks/_told.html", telling=telling, webhooks=webhooks, releases=releases, zone=zone
        )

    return await live_stream(look, draw)


@get("/posts/{post_id:uuid}/unpublish")
async def leaving(desk: Desk, post_id: UUID) -> Response[str]:
    """What taking a post off the site does, before it is done."""
    async with desk.transaction() as tx:
        line = await post_line(tx, post_id)
    url = desk.account.site_url + path_of(line.slug) if line.slug else ""
    return page("releases/unpublish.html", shell=desk.shell("posts"), page=UnpublishPage(line, url))


async def version_page(desk: Desk, number: int) -> VersionPage:
    """What the page of a published version shows. Raises NotFound."""
    async with desk.transaction() as tx:
        newest = await newest_number(tx)  # first: what is published meanwhile is asked about again
        shown = await release(tx, number)
        restoring = () if shown.live else await restoration(tx, number)
        telling = await read_telling(tx, number)
    there = (change for change in shown.changes if not change.gone)
    urls = {change.post_id: desk.account.site_url + path_of(change.slug) for change in there}
    return VersionPage(shown, urls, restoring, newest, telling)


def size_of(changes: tuple[Change, ...]) -> str:
    """How many posts change, and how: `3 posts change: 2 go back to an older text, 1 leaves the site`."""
    counted = Counter(change.action for change in changes)
    parts = [
        f"{count:,} {_WORDS[action] if count == 1 else _MANY[action]}" for action, count in counted.items()
    ]
    many = "changes" if len(changes) == 1 else "change"
    return f"{plural(len(changes), 'post')} {many}: {', '.join(parts)}"


HANDLERS: tuple = (releases, one_release, telling_live, leaving)
