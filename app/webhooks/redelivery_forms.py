"""Redeliveries, as a person asks for them: one, those that were chosen, or all of a time."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from litestar import Response, get, post

from app.answers import Flash, Request, answer, form_of, page, plural
from app.base import clock
from app.base.errors import Conflict, Invalid, Problem
from app.base.zones import moment_at, moment_of
from app.webhooks.entrance import Desk
from app.webhooks.form_views import RangePage
from app.webhooks.particulars import copies
from app.webhooks.queries import KEPT_DAYS, delivery
from app.webhooks.redelivering import Range, range_size, redeliver, redeliver_range
from app.webhooks.roster import Endpoint, endpoint
from app.webhooks.states import DeliveryState, EndpointState
from app.webhooks.telling import name_of
from app.webhooks.views import SECTION, list_url

_WAITS = "It waits already, and goes when the webhook is resumed. Nothing was added."
_AGAIN = "Its event is delivered again: here is what comes of it."
_WALL = "%Y-%m-%dT%H:%M"


@post("/endpoints/deliveries/{delivery_id:uuid}/redeliver")
async def redeliver_one(desk: Desk, request: Request, delivery_id: UUID) -> Response[Any]:
    """Deliver it once more, and go to where that is seen."""
    try:
        async with desk.transaction() as tx:
            if (await copies(tx, [delivery_id])).waiting:
                raise Conflict(_WAITS)
            made = await redeliver(tx, [delivery_id])
            paused = (await delivery(tx, made[0])).line.state == DeliveryState.HELD
    except Conflict as error:
        to = f"{list_url(desk)}/deliveries/{delivery_id}"
        return answer(request, to=to, flash=Flash("warn", error.detail))
    words = "Its webhook is paused: it waits here until that is resumed." if paused else _AGAIN
    flash = Flash("ok", words)
    return answer(request, to=f"{list_url(desk)}/deliveries/{made[0]}", flash=flash)


@post("/endpoints/{endpoint_id:uuid}/redeliver")
async def redeliver_chosen(desk: Desk, request: Request, endpoint_id: UUID) -> Response[Any]:
    """Deliver those that were ticked once more."""
    form = await form_of(request)
    to = f"{list_url(desk)}/{endpoint_id}"
    chosen = [_uuid(one) for one in form.many("deliveries")]
    if not chosen:
        flash = Flash("warn", "Nothing was chosen. Tick the deliveries to make again.")
        return answer(request, to=f"{to}#deliveries", flash=flash)
    try:
        async with desk.transaction() as tx:
            found = await copies(tx, chosen)
            made = await redeliver(tx, found.others) if found.others else []
            one = await endpoint(tx, endpoint_id)
    except Conflict as error:
        return answer(request, to=to, flash=Flash("warn", error.detail))
    words = _made(one, len(made)) if made else _WAITS
    return answer(request, to=f"{to}#deliveries", flash=Flash("ok" if made else "warn", words))


@get("/endpoints/{endpoint_id:uuid}/redeliver/range")
async def show_range(desk: Desk, request: Request, endpoint_id: UUID) -> Response[str]:
    """Which time, and how many that would be."""
    asked = request.query_params
    async with desk.transaction() as tx:
        one = await endpoint(tx, endpoint_id)
    if "since" not in asked and "until" not in asked:
        return _range_page(desk, one, *_usual(desk, one))
    since, until = asked.get("since", "")[:40], asked.get("until", "")[:40]
    try:
        wanted = _range(_instant(desk, "since", since), _instant(desk, "until", until))
    except Invalid as wrong:
        return _range_page(desk, one, since, until, problems=wrong.problems)
    async with desk.transaction() as tx:
        size = await range_size(tx, endpoint_id, wanted)
    return _range_page(desk, one, since, until, size=size, from_at=wanted.since, to_at=wanted.until)


@post("/endpoints/{endpoint_id:uuid}/redeliver/range")
async def redeliver_time(desk: Desk, request: Request, endpoint_id: UUID) -> Response[Any]:
    """Deliver all events of a time that the webhook has chosen once more."""
    form = await form_of(request)
    to = f"{list_url(desk)}/{endpoint_id}"
    wanted = _range(_given("since", form.text("since")), _given("until", form.text("until")))
    try:
        async with desk.transaction() as tx:
            made = await redeliver_range(tx, endpoint_id, wanted)
            one = await endpoint(tx, endpoint_id)
    except Conflict as error:
        return answer(request, to=to, flash=Flash("warn", error.detail))
    return answer(request, to=f"{to}#deliveries", flash=Flash("ok", _made(one, made)))


def _made(one: Endpoint, count: int) -> str:
    """What comes of so many that were made anew."""
    if one.state == EndpointState.PAUSED:
        return f"{plural(count, 'event waits', 'events wait')} until you resume the webhook."
    return f"{plural(count, 'event is', 'events are')} delivered again."


def _range_page(desk: Desk, one: Endpoint, since: str, until: str, **more: Any) -> Response[str]:
    url = f"{list_url(desk)}/{one.id}"
    shortcuts = tuple(
        (words, f"{url}/redeliver/range?since={_wall(desk, clock.now() - back)}&until={_wall(desk, _soon())}")
        for words, back in (
            ("the last hour", timedelta(hours=1)),
            ("the last day", timedelta(days=1)),
            ("the last week", timedelta(days=7)),
        )
    )
    shown = RangePage(list_url(desk), url, name_of(one), since, until, shortcuts, **more)
    status = 422 if shown.problems else 200
    headers = {"Cache-Control": "no-store"}
    return page(
        "webhooks/redelivery.html", status=status, headers=headers, shell=desk.shell(SECTION), page=shown
    )


def _usual(desk: Desk, one: Endpoint) -> tuple[str, str]:
    """From when it last worked until now: what was missed."""
    since = one.failing_since or one.last_delivered_at or one.created_at
    return _wall(desk, max(since, clock.now() - timedelta(days=KEPT_DAYS))), _wall(desk, _soon())


def _soon() -> datetime:
    """The minute after this one: what happened just now is in the time that ends with it."""
    return clock.now() + timedelta(minutes=1)


def _wall(desk: Desk, at: datetime) -> str:
    return moment_at(at, desk.account.zone).wall.strftime(_WALL)


def _instant(desk: Desk, name: str, typed: str) -> datetime:
    """The instant of a wall time of the publication. Raises Invalid."""
    try:
        return moment_of(datetime.strptime(typed[:16], _WALL), desk.account.zone).at
    except (ValueError, OverflowError) as error:
        raise Invalid([Problem(name, "Give a date and a time, such as 2027-05-03T09:00.")]) from error


def _given(name: str, text: str) -> datetime:
    """An instant as our own form sends it. Raises Invalid."""
    try:
        at = datetime.fromisoformat(text)
        if at.tzinfo is not None:
            return at.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise Invalid([Problem(name, "This is no time. Choose it anew.")]) from error
    raise Invalid([Problem(name, "This time names no zone. Choose it anew.")])


def _range(since: datetime, until: datetime) -> Range:
    if since >= until:
        raise Invalid([Problem("until", "The end comes before the beginning. Choose a later one.")])
    return Range(since=since, until=until)


def _uuid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError as error:
        raise Invalid([Problem("deliveries", "There is no such delivery.")]) from error


HANDLERS: tuple[Any, ...] = (redeliver_one, redeliver_chosen, show_range, redeliver_time)
