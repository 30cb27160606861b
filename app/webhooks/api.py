"""Webhooks in the JSON API: where events go, what became of each, and once more."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from litestar import delete, get, patch, post
from msgspec import Struct

from app.answers import PAGED, Option, Request, asks, paging_of, told_once
from app.webhooks.catalogue import TYPES
from app.webhooks.choosing import deliveries, wanted_of
from app.webhooks.entrance import Caller
from app.webhooks.items import (
    DeliveryItem,
    DeliveryPageItem,
    EndpointChanged,
    EndpointItem,
    EndpointList,
    EndpointMade,
    Timed,
    WholeDeliveryItem,
    delivery_item,
    endpoint_changed,
    endpoint_item,
    endpoint_made,
    whole_delivery,
)
from app.webhooks.queries import delivery
from app.webhooks.reach import policy
from app.webhooks.redelivering import redeliver, send_test
from app.webhooks.roster import (
    NewEndpoint,
    add_endpoint,
    change_endpoint,
    delete_endpoint,
    endpoint,
    endpoints,
    pause_endpoint,
    resume_endpoint,
    rotate_secret,
)
from app.webhooks.states import DeliveryState
from app.webhooks.vetting import vet

_FILTERS = (
    Option("state", "Only deliveries in this state.", one_of=tuple(DeliveryState)),
    Option("type", "Only events of this type.", one_of=TYPES),
    Option("release", "Only of this published version.", numbers=(1, 999_999_999)),
)


class GivenEndpoint(Struct, forbid_unknown_fields=True):
    """A webhook to add. `events`: types, or `["*"]` for all, also those to come."""

    url: str
    events: list[str]
    description: str = ""


class EndpointChange(Struct, forbid_unknown_fields=True):
    """What to change. `active` also switches one on again that switched itself off."""

    url: str | None = None
    events: list[str] | None = None
    description: str | None = None
    state: Literal["active", "paused"] | None = None


@get("/endpoints", opt=asks(*PAGED))
async def list_endpoints(caller: Caller, request: Request) -> EndpointList:
    """Webhooks, newest first."""
    paging = paging_of(request)
    before = paging.after(datetime, UUID)
    async with caller.transaction() as tx:
        there = reversed(await endpoints(tx))  # at most fifty
    found = [one for one in there if before is None or (one.created_at, one.id) < before]
    shown, following = paging.cut(found, lambda one: (one.created_at, one.id))
    return EndpointList([endpoint_item(one) for one in shown], following)


@post("/endpoints", status_code=201, opt=told_once("secret"))
async def create_endpoint(caller: Caller, data: GivenEndpoint) -> EndpointMade:
    """Add a webhook: it is told what happens from now on. Its secret stands in this answer alone.

    The form of the address is checked and, if its name leads somewhere, to where; a name that leads nowhere
    yet is taken with a `warning`.
    """
    address = await vet(data.url, await policy(caller.database))
    async with caller.transaction() as tx:
        new = NewEndpoint(address.url, data.events, data.description)
        made, secret = await add_endpoint(tx, new)
    return endpoint_made(made, secret, address.warning)


@get("/endpoints/{endpoint_id:uuid}")
async def show_endpoint(caller: Caller, endpoint_id: UUID) -> EndpointItem:
    """One webhook."""
    async with caller.transaction() as tx:
        return endpoint_item(await endpoint(tx, endpoint_id))


@patch("/endpoints/{endpoint_id:uuid}")
async def patch_endpoint(caller: Caller, endpoint_id: UUID, data: EndpointChange) -> EndpointChanged:
    """Change a webhook, pause it or switch it on; what waits goes to the new address.

    One that switched itself off cannot be paused: 409.
    """
    address = None if data.url is None else await vet(data.url, await policy(caller.database))
    async with caller.transaction() as tx:
        one = await change_endpoint(
            tx,
            endpoint_id,
            url=address.url if address else None,
            description=data.description,
            events=data.events,
        )
        if data.state is not None:
            move = pause_endpoint if data.state == "paused" else resume_endpoint
            one = await move(tx, endpoint_id)
    return endpoint_changed(one, address.warning if address else "")


@delete("/endpoints/{endpoint_id:uuid}", status_code=204)
async def remove_endpoint(caller: Caller, endpoint_id: UUID) -> None:
    """Delete a webhook and its secrets; what waited for it is given up."""
    async with caller.transaction() as tx:
        await delete_endpoint(tx, endpoint_id)


@post("/endpoints/{endpoint_id:uuid}/rotate", status_code=200, opt=told_once("secret"))
async def rotate(caller: Caller, endpoint_id: UUID, data: Timed | None = None) -> EndpointMade:
    """A new secret, in this answer alone; the one before it signs too for `overlap_hours`."""
    async with caller.transaction() as tx:
        secret = await rotate_secret(tx, endpoint_id, (data or Timed()).overlap_hours)
        return endpoint_made(await endpoint(tx, endpoint_id), secret, "")


@post("/endpoints/{endpoint_id:uuid}/test", status_code=202)
async def test(caller: Caller, endpoint_id: UUID) -> DeliveryItem:
    """Call it with a test event, `endpoint.test`; 409 when it is paused or off."""
    async with caller.transaction() as tx:
        found = await delivery(tx, await send_test(tx, endpoint_id))
    return delivery_item(found.line)


@get("/endpoints/{endpoint_id:uuid}/deliveries", opt=asks(*PAGED, *_FILTERS))
async def list_deliveries(caller: Caller, request: Request, endpoint_id: UUID) -> DeliveryPageItem:
    """What it was told, or will be, newest first."""
    paging, wanted = paging_of(request), wanted_of(request.query_params)
    after = paging.after(UUID)
    async with caller.transaction() as tx:
        await endpoint(tx, endpoint_id)
        found = await deliveries(
            tx, endpoint_id, wanted, before=after[0] if after else None, most=paging.limit + 1
        )
    shown, following = paging.cut(found, lambda line: (line.id,))
    return DeliveryPageItem([delivery_item(line) for line in shown], following)


@get("/deliveries/{delivery_id:uuid}")
async def show_delivery(caller: Caller, delivery_id: UUID) -> WholeDeliveryItem:
    """One delivery with its attempts."""
    async with caller.transaction() as tx:
        found = await delivery(tx, delivery_id)
    return whole_delivery(found)


@post("/deliveries/{delivery_id:uuid}/redeliver", status_code=202)
async def redeliver_one(caller: Caller, delivery_id: UUID) -> DeliveryItem:
    """Deliver its event once more, with the same id and body: a delivery of its own."""
    async with caller.transaction() as tx:
        (made,) = await redeliver(tx, [delivery_id])
        found = await delivery(tx, made)
    return delivery_item(found.line)


HANDLERS: tuple[Any, ...] = (
    list_endpoints,
    create_endpoint,
    show_endpoint,
    patch_endpoint,
    remove_endpoint,
    rotate,
    test,
    list_deliveries,
    show_delivery,
    redeliver_one,
)
