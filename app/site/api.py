"""The API's question whether somebody may read a post, answered by the gate that the pages ask."""

from uuid import UUID

from litestar import get
from msgspec import Struct

from app.accounts import ApiCaller
from app.answers import Option, asks
from app.base.errors import Invalid, NotFound, Problem
from app.plans import plans, viewer_of
from app.posts import live_post, live_slug, path_of
from app.readers import reader as reader_of
from app.site.gate import seen


class ReadingItem(Struct):
    """A published post as one reader sees it: `html` whole, or what stands above the paywall.

    `reader` null: a stranger. `invitation` says what the rest is kept for; null when this is all.
    """

    post: str
    url: str
    title: str
    access: str
    reader: str | None
    may_read: bool
    html: str
    invitation: str | None


@get(
    "/posts/{post_id:uuid}/reading",
    opt=asks(Option("reader", "The id of the reader who would read it; left out: a stranger.")),
)
async def show_reading(caller: ApiCaller, post_id: UUID, reader: str = "") -> ReadingItem:
    """A published post as `reader` (an id; empty: a stranger) may read it right now."""
    reader_id = _reader_id(reader)
    async with caller.transaction() as tx:
        slug = await live_slug(tx, post_id)
        if slug is None:
            raise NotFound("There is no such published post.")
        if reader_id and await reader_of(tx, reader_id) is None:
            raise NotFound("There is no such reader.")
        post, viewer = await live_post(tx, slug), await viewer_of(tx, reader_id)
        shown = seen({plan.id: plan for plan in await plans(tx, archived=True)}, post, viewer)
    return ReadingItem(
        post=str(post_id),
        url=caller.account.site_url + path_of(slug),
        title=post.title,
        access=post.access,
        reader=str(reader_id) if reader_id else None,
        may_read=shown.whole,
        html=shown.html,
        invitation=shown.invitation.title if shown.invitation else None,
    )


def _reader_id(given: str) -> UUID | None:
    """Raises Invalid for what is no id."""
    try:
        return UUID(given) if given else None
    except ValueError as error:
        raise Invalid([Problem("reader", "This is not the id of a reader.")]) from error


HANDLERS: tuple = (show_reading,)
