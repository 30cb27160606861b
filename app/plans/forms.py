"""What the studio's pages of plans and of a reader's access send."""

from datetime import date, datetime, time
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from litestar import Request, Response, post

from app.accounts import Desk
from app.answers import Flash, Form, answer, form_of
from app.base.days import FIRST_DAY, LAST_DAY, in_reach
from app.base.errors import Conflict, GodwitError, Invalid, Problem
from app.plans.entitlements import end_entitlement, grant
from app.plans.offers import Offer, archive_plan, change_plan, make_plan, move_plan
from app.plans.pages import Typed, access_response, list_response, plan_response
from app.plans.queries import plan

MOST = 20_000


@post("/plans")
async def make(desk: Desk, request: Request) -> Response[Any]:
    """A new plan; back to the form with what is wrong."""
    form = await form_of(request)
    try:
        async with desk.transaction() as tx:
            await make_plan(tx, _offer(form))
    except (Invalid, Conflict) as error:
        return await list_response(desk, _typed(form), _problems(error, "slug"))
    return answer(request, to=desk.url("plans"), flash=Flash("ok", "The plan is made."))


@post("/plans/{plan_id:uuid}")
async def change(desk: Desk, request: Request, plan_id: UUID) -> Response[Any]:
    """Save what the plan says of itself."""
    form = await form_of(request)
    try:
        async with desk.transaction() as tx:
            await change_plan(tx, plan_id, _offer(form))
    except (Invalid, Conflict) as error:
        return await plan_response(desk, plan_id, _typed(form), _problems(error, "slug"))
    return answer(request, to=desk.url("plans"), flash=Flash("ok", "Saved."))


@post("/plans/{plan_id:uuid}/archive")
async def archive(desk: Desk, request: Request, plan_id: UUID) -> Response[Any]:
    """Offer it no longer."""
    async with desk.transaction() as tx:
        await archive_plan(tx, plan_id, archived=True)
    words = "The plan is archived: it is no longer offered. Whoever has it keeps it."
    return answer(request, to=desk.url("plans"), flash=Flash("ok", words))


@post("/plans/{plan_id:uuid}/offer")
async def offer_again(desk: Desk, request: Request, plan_id: UUID) -> Response[Any]:
    """Take it out of the archive."""
    async with desk.transaction() as tx:
        await archive_plan(tx, plan_id, archived=False)
    return answer(request, to=desk.url("plans"), flash=Flash("ok", "The plan is offered again."))


@post("/plans/{plan_id:uuid}/move")
async def move(desk: Desk, request: Request, plan_id: UUID) -> Response[Any]:
    """One place up, or down."""
    up = (await form_of(request)).text("to") == "up"
    async with desk.transaction() as tx:
        await move_plan(tx, plan_id, up=up)
    return answer(request, to=desk.url("plans"))


@post("/readers/{reader_id:uuid}/access")
async def give(desk: Desk, request: Request, reader_id: UUID) -> Response[Any]:
    """Give a reader a plan by hand, with a reason and perhaps an end."""
    form = await form_of(request)
    try:
        plan_id, ends_at = _plan_id(form), _end_of(form.text("ends"), desk.account.zone)
        async with desk.transaction() as tx:
            given = await plan(tx, plan_id)
            reason = form.text("reason", most=MOST)
            by = desk.creator.name
            await grant(tx, reader_id, plan_id, source="comp", reason=reason, by=by, ends_at=ends_at)
    except (Invalid, Conflict) as error:
        typed = {name: form.typed(name) for name in ("plan", "reason", "ends")}
        return await access_response(desk, reader_id, typed, _problems(error, "plan"))
    flash = Flash("ok", f"They have {given.name} now. It holds at once.")
    return answer(request, to=desk.url(f"readers/{reader_id}/access"), flash=flash)


@post("/readers/{reader_id:uuid}/access/{entitlement_id:uuid}/end")
async def end(desk: Desk, request: Request, reader_id: UUID, entitlement_id: UUID) -> Response[Any]:
    """End one of a reader's accesses now; what they have by other sources stays."""
    async with desk.transaction() as tx:
        done = await end_entitlement(tx, reader_id, entitlement_id, desk.creator.name)
    words = "It is ended. It holds at once." if done else "It was over already."
    return answer(request, to=desk.url(f"readers/{reader_id}/access"), flash=Flash("ok", words))


def _offer(form: Form) -> Offer:
    return Offer(
        name=form.text("name", most=MOST),
        description=form.text("description", most=MOST),
        slug=form.text("slug", most=MOST),
    )


def _typed(form: Form) -> Typed:
    return Typed(form.typed("name"), form.typed("description"), form.typed("slug"))


def _problems(error: GodwitError, field: str) -> tuple[Problem, ...]:
    """What is wrong, beside the field that a conflict is about."""
    return error.problems or (Problem(field, error.detail),)


def _plan_id(form: Form) -> UUID:
    try:
        return UUID(form.text("plan"))
    except ValueError as error:
        raise Invalid([Problem("plan", "Choose a plan.")]) from error


def _end_of(given: str, zone: str) -> datetime | None:
    """The last second of a day in the account's zone; None when no day was given. Raises Invalid."""
    if not given.strip():
        return None
    try:
        day = date.fromisoformat(given.strip())
    except ValueError as error:
        message = "Give the last day as year-month-day, such as 2027-05-31, or leave it empty."
        raise Invalid([Problem("ends", message)]) from error
    if not in_reach(day):
        years = f"{FIRST_DAY:%Y} to {LAST_DAY:%Y}"
        message = f"Give a last day in the years {years}, or none: then it has no end."
        raise Invalid([Problem("ends", message)])
    return datetime.combine(day, time(23, 59, 59), ZoneInfo(zone))


HANDLERS: tuple[Any, ...] = (make, change, archive, offer_again, move, give, end)
