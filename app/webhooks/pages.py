"""Webhooks in the studio: the list, one with its deliveries, a delivery with its attempts, their forms."""

from collections.abc import Collection, Mapping
from typing import Any
from uuid import UUID

from litestar import Response, get
from litestar.response import Stream

from app.answers import Cursor, Request, live_stream, page, rendered
from app.base import ids
from app.base.database import Tx
from app.base.errors import Problem
from app.webhooks.catalogue import ALL
from app.webhooks.choosing import deliveries, delivery_counts, wanted_of
from app.webhooks.entrance import Desk
from app.webhooks.form_views import DeletePage, EditPage, NewPage, Typed
from app.webhooks.particulars import abouts, given_up_at, last_errors
from app.webhooks.picture import Health
from app.webhooks.presets import Preset, preset_named
from app.webhooks.queries import health
from app.webhooks.roster import Endpoint, endpoint, endpoint_if_there, endpoints
from app.webhooks.telling import OneDelivery, host_of, instant, name_of, read_delivery
from app.webhooks.views import SECTION, DeliveryPage, EndpointPage, ListPage, list_url

PAGE = 25
_FRESH = {"Cache-Control": "no-store"}


@get("/endpoints", name="studio.endpoints")
async def show_list(desk: Desk) -> Response[str]:
    """Every webhook, newest first."""
    async with desk.transaction() as tx:
        found = await endpoints(tx)
        failing = [
            await delivery_counts(tx, one.id) for one in found if one.state == "active" and one.failures
        ]
    shown = ListPage(
        list_url(desk),
        tuple(reversed(found)),
        sum(counts["retrying"] for counts in failing),
        sum(counts["failed"] for counts in failing),
    )
    return page("webhooks/list.html", headers=_FRESH, shell=desk.shell(SECTION), page=shown)


@get("/endpoints/new")
async def show_new(desk: Desk, request: Request) -> Response[str]:
    """The form; `?for=` fills it in for a system that is known."""
    preset = preset_named(request.query_params.get("for", ""))
    async with desk.transaction() as tx:
        taken = await names(tx)
    return new_page(desk, typed_for(preset, taken), preset)


@get("/endpoints/{endpoint_id:uuid}", name="studio.endpoint")
async def show(desk: Desk, request: Request, endpoint_id: UUID) -> Response[str]:
    """One, with a page of its deliveries; live while more comes of them."""
    asked = _asked(request)
    async with desk.transaction() as tx:
        shown = await endpoint_page(tx, desk, endpoint_id, asked, request.query_params.get("cursor", ""))
    return page("webhooks/show.html", headers=_FRESH, shell=desk.shell(SECTION), page=shown)


@get("/endpoints/{endpoint_id:uuid}/live")
async def endpoint_live(desk: Desk, request: Request, endpoint_id: UUID) -> Stream:
    """The stream that repaints the newest of its deliveries."""
    asked, zone, redelivers = _asked(request), desk.account.zone, desk.may("redeliver")

    async def look() -> EndpointPage:
        async with desk.transaction() as tx:
            return await endpoint_page(tx, desk, endpoint_id, asked)

    def draw(shown: EndpointPage) -> str:
        return rendered("webhooks/_deliveries.html", page=shown, redelivers=redelivers, zone=zone)

    return await live_stream(look, draw)


@get("/endpoints/{endpoint_id:uuid}/edit")
async def show_edit(desk: Desk, endpoint_id: UUID) -> Response[str]:
    """Its address, its name and its events, to be changed."""
    async with desk.transaction() as tx:
        one = await endpoint(tx, endpoint_id)
    everything = ALL in one.events
    typed = Typed(one.id, one.url, one.description, everything, () if everything else one.events)
    return edit_page(desk, one, typed)


@get("/endpoints/{endpoint_id:uuid}/delete")
async def show_delete(desk: Desk, endpoint_id: UUID) -> Response[str]:
    """What deleting it would do."""
    async with desk.transaction() as tx:
        shown = await deleting(tx, desk, endpoint_id)
    return page("webhooks/delete.html", headers=_FRESH, shell=desk.shell(SECTION), page=shown)


@get("/endpoints/deliveries/{delivery_id:uuid}", name="studio.delivery")
async def show_delivery(desk: Desk, delivery_id: UUID) -> Response[str]:
    """One delivery, attempt by attempt; live until it is over."""
    async with desk.transaction() as tx:
        shown = await delivery_page(tx, desk, delivery_id)
    return page("webhooks/delivery.html", headers=_FRESH, shell=desk.shell(SECTION), page=shown)


@get("/endpoints/deliveries/{delivery_id:uuid}/live")
async def delivery_live(desk: Desk, delivery_id: UUID) -> Stream:
    """The stream that repaints it."""
    releases, zone = desk.url("releases"), desk.account.zone

    async def look() -> OneDelivery:
        async with desk.transaction() as tx:
            return await read_delivery(tx, delivery_id)

    def draw(reading: OneDelivery) -> str:
        return rendered("webhooks/_delivery.html", reading=reading, releases=releases, zone=zone)

    return await live_stream(look, draw)


async def endpoint_page(
    tx: Tx, desk: Desk, endpoint_id: UUID, asked: Mapping[str, str], cursor: str = ""
) -> EndpointPage:
    """One webhook with those of its deliveries that were asked for. Raises NotFound, Invalid."""
    wanted, before = wanted_of(asked), Cursor.decode(cursor, UUID)[0] if cursor else None
    one = await endpoint(tx, endpoint_id)
    counts, hours = await delivery_counts(tx, endpoint_id), await health(tx, endpoint_id)
    found = await deliveries(tx, endpoint_id, wanted, before=before, most=PAGE + 1)
    lines = tuple(found[:PAGE])
    skipped = [line.id for line in lines if line.state == "superseded" and line.attempts]
    version, now = await instant(tx)
    return EndpointPage(
        list_url=list_url(desk),
        releases_url=desk.url("releases"),
        endpoint=one,
        counts=counts,
        health=Health(hours),
        lines=lines,
        first=bool(before),
        older=Cursor.encode(found[PAGE - 1].id) if len(found) > PAGE else "",
        abouts=await abouts(tx, [line.id for line in lines]),
        errors=await last_errors(tx, skipped),
        given_up_at=await given_up_at(tx, endpoint_id),
        version=version,
        now=now,
        **asked,
    )


async def names(tx: Tx) -> list[str]:
    """What the webhooks that are there are called."""
    return [name_of(one) for one in await endpoints(tx)]


async def delivery_page(tx: Tx, desk: Desk, delivery_id: UUID) -> DeliveryPage:
    """One delivery and the webhook that it goes to, None when that was deleted. Raises NotFound."""
    reading = await read_delivery(tx, delivery_id)
    there = await endpoint_if_there(tx, reading.whole.line.endpoint)
    return DeliveryPage(list_url(desk), desk.url("releases"), reading, there)


def new_page(
    desk: Desk, typed: Typed, preset: Preset | None, problems: tuple[Problem, ...] = (), doubt: str = ""
) -> Response[str]:
    """The form of a new one; as it was typed, with status 422, when something is wrong or in doubt."""
    shown = NewPage(list_url(desk), typed, preset, problems, doubt)
    status = 422 if problems or doubt else 200
    return page("webhooks/new.html", status=status, headers=_FRESH, shell=desk.shell(SECTION), page=shown)


def edit_page(desk: Desk, one: Endpoint, typed: Typed, problems: tuple[Problem, ...] = ()) -> Response[str]:
    """The form of one that is there, as it is or as it was typed."""
    url = f"{list_url(desk)}/{one.id}"
    shown = EditPage(list_url(desk), url, name_of(one), typed, problems)
    status = 422 if problems else 200
    return page("webhooks/edit.html", status=status, headers=_FRESH, shell=desk.shell(SECTION), page=shown)


async def deleting(tx: Tx, desk: Desk, endpoint_id: UUID) -> DeletePage:
    """What deleting it would do. Raises NotFound."""
    one, counts = await endpoint(tx, endpoint_id), await delivery_counts(tx, endpoint_id)
    waiting = counts["pending"] + counts["retrying"] + counts["held"]
    url = f"{list_url(desk)}/{one.id}"
    return DeletePage(list_url(desk), url, name_of(one), host_of(one.url), waiting)


def typed_for(preset: Preset | None, taken: Collection[str] = ()) -> Typed:
    """An empty form, for a known system with its events chosen, and a name that is not `taken`."""
    if preset is None:
        return Typed(ids.new())
    everything = ALL in preset.events
    events = () if everything else preset.events
    name = "" if preset.key == "own" else _free(preset.name, taken)
    return Typed(ids.new(), "", name, everything, events, preset.placeholder)


def _free(name: str, taken: Collection[str]) -> str:
    """`Slack`, or `Slack 2` when there is one."""
    numbered = (name if n == 1 else f"{name} {n}" for n in range(1, len(taken) + 2))
    return next(one for one in numbered if one not in taken)


def _asked(request: Request) -> dict[str, str]:
    return {name: request.query_params.get(name, "") for name in ("state", "type", "release")}


HANDLERS: tuple[Any, ...] = (
    show_list,
    show_new,
    show,
    endpoint_live,
    show_edit,
    show_delete,
    show_delivery,
    delivery_live,
)
