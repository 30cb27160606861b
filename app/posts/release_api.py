"""The API of published versions (contract.md)."""

from datetime import datetime
from uuid import UUID

from litestar import Request, get, post
from msgspec import Struct

from app.accounts import ApiCaller
from app.answers import PAGED, asks, paging_of
from app.posts.release_queries import Release, newest_releases, release
from app.posts.releases import restore_release, unpublish
from app.webhooks import DeliveryItem, DeliveryLine, deliveries_of_release, delivery_item


class ChangeItem(Struct):
    """What a release did to a post: `published`, `updated` or `unpublished`.

    `access` is who may read it from then on, and `plan` the plan's id where that is `plan`.
    """

    post: str
    title: str
    slug: str
    action: str
    access: str
    plan: str | None


class Restoring(Struct, forbid_unknown_fields=True):
    """`opens`: ids of the posts that somebody may read then who may not now; no other opens."""

    opens: list[UUID] = []


class ReleaseItem(Struct):
    """A published version of the site; `restored_from` is the older one that it brought back."""

    number: int
    live: bool
    published_at: datetime
    url: str
    restored_from: int | None
    changes: list[ChangeItem]


class ReleasePage(Struct):
    """Releases, newest first, and the cursor of the next page."""

    items: list[ReleaseItem]
    next: str | None


class ReleaseDeliveries(Struct):
    """Deliveries of a release's announcement, newest first, and the cursor of the next page."""

    items: list[DeliveryItem]
    next: str | None


@get("/releases", opt=asks(*PAGED))
async def list_releases(caller: ApiCaller, request: Request) -> ReleasePage:
    """Published versions, newest first."""
    paging = paging_of(request)
    place = paging.after(int)
    async with caller.transaction() as tx:
        found = await newest_releases(tx, place[0] if place else None, paging.limit + 1)
    shown, following = paging.cut(found, lambda one: (one.number,))
    return ReleasePage([_release(caller, one) for one in shown], following)


@get("/releases/{number:int}")
async def show_release(caller: ApiCaller, number: int) -> ReleaseItem:
    """One published version."""
    async with caller.transaction() as tx:
        return _release(caller, await release(tx, number))


@get("/releases/{number:int}/deliveries", opt=asks(*PAGED))
async def list_deliveries(caller: ApiCaller, request: Request, number: int) -> ReleaseDeliveries:
    """Which webhooks were told of it, and what became of each delivery."""
    paging = paging_of(request)
    place = paging.after(UUID)
    async with caller.transaction() as tx:
        await release(tx, number)
        found = sorted(await deliveries_of_release(tx, number), key=lambda line: line.id, reverse=True)
    shown, following = paging.cut([line for line in found if not place or line.id < place[0]], _place)
    return ReleaseDeliveries([delivery_item(line) for line in shown], following)


@post("/releases/{number:int}/restore", status_code=201)
async def restore(caller: ApiCaller, number: int, data: Restoring | None = None) -> ReleaseItem:
    """The site as it was at this version, as a new one; 409 when nothing would change.

    Also 409, and nothing was changed, when somebody could then read a post who may not now, unless its id is
    in `opens`. `errors` names each such post, with its id as `field`.
    """
    opening = data.opens if data else []
    async with caller.transaction() as tx:
        made = await restore_release(tx, number, None, f"API key {caller.key_name}", opening=opening)
        return _release(caller, made)


@post("/posts/{post_id:uuid}/unpublish", status_code=200)
async def take_off(caller: ApiCaller, post_id: UUID) -> ReleaseItem:
    """Take a post off the site: the release that did it; 409 when it is not there. Its emails stay."""
    async with caller.transaction() as tx:
        return _release(caller, await unpublish(tx, post_id, None, f"API key {caller.key_name}"))


def _place(line: DeliveryLine) -> tuple[UUID]:
    return (line.id,)


def _release(caller: ApiCaller, one: Release) -> ReleaseItem:
    changes = [
        ChangeItem(
            post=str(each.post_id),
            title=each.title,
            slug=each.slug,
            action=each.action,
            access=each.access.kind,
            plan=str(each.access.plan_id) if each.access.plan_id else None,
        )
        for each in one.changes
    ]
    url = caller.account.site_url + "/"
    return ReleaseItem(one.number, one.live, one.published_at, url, one.restored_from, changes)


HANDLERS: tuple = (list_releases, show_release, list_deliveries, restore, take_off)
