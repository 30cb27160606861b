"""What a team does with webhooks: adds, changes, pauses, tests, deletes them; has a secret made anew."""

from dataclasses import replace
from typing import Any
from uuid import UUID

from litestar import Response, post

from app.answers import Flash, Form, Request, answer, form_of, page
from app.base import ids
from app.base.errors import Conflict, Invalid, NotFound, Problem
from app.webhooks.catalogue import CHOOSABLE
from app.webhooks.choosing import delivery_counts
from app.webhooks.entrance import Desk
from app.webhooks.form_views import SecretPage, Typed
from app.webhooks.pages import deleting, edit_page, names, new_page, typed_for
from app.webhooks.presets import PRESETS, Preset, doubt_of, expects_its_own, preset_named
from app.webhooks.reach import policy
from app.webhooks.redelivering import send_test
from app.webhooks.roster import (
    Endpoint,
    NewEndpoint,
    add_endpoint,
    change_endpoint,
    delete_endpoint,
    endpoint,
    pause_endpoint,
    resume_endpoint,
    rotate_secret,
)
from app.webhooks.telling import name_of
from app.webhooks.vetting import Address, vet
from app.webhooks.views import SECTION, list_url

#: The page that shows a secret is kept by no cache, and not shown again by “back”.
_ONCE = {"Cache-Control": "no-store"}


@post("/endpoints")
async def add(desk: Desk, request: Request) -> Response[Any]:
    """Add one, and answer with its secret itself: no address, cookie or kept answer ever holds it.

    A reload sends the form again, with the id that it made: the second time leads to the webhook.
    """
    form = await form_of(request)
    preset = preset_named(form.typed("for"))
    typed = _typed(form, replace(typed_for(preset), id=_id_of(form)))
    if form.typed("choose"):
        return await _chosen(desk, preset_named(form.typed("choose")), typed)
    try:
        address = await _vetted(desk, form, typed)
        if not form.typed("anyway") and (doubt := doubt_of(address.url, preset)):
            return new_page(desk, typed, preset, doubt=doubt)
        new = NewEndpoint(address.url, typed.chosen, typed.description, typed.id)
        async with desk.transaction() as tx:
            made, secret = await add_endpoint(tx, new)
    except Invalid as wrong:
        return new_page(desk, typed, preset, wrong.problems)
    except Conflict as known:
        return await _known(desk, request, typed.id, known)
    chat = expects_its_own(made.url)
    warning = f"{chat} does not take what Godwit sends: enter a connector's address." if chat else ""
    unread = preset.signature if preset and preset.unread else ""
    return _secret_page(
        desk, SecretPage(*_place(desk, made), secret, warning=address.warning or warning, unread=unread)
    )


@post("/endpoints/{endpoint_id:uuid}")
async def change(desk: Desk, request: Request, endpoint_id: UUID) -> Response[Any]:
    """Another address, name or choice of events."""
    form = await form_of(request)
    async with desk.transaction() as tx:
        one = await endpoint(tx, endpoint_id)
    typed = _typed(form, Typed(endpoint_id))
    try:
        address = await _vetted(desk, form, typed)
        async with desk.transaction() as tx:
            await change_endpoint(
                tx, endpoint_id, url=address.url, description=typed.description, events=typed.chosen
            )
    except Invalid as wrong:
        return edit_page(desk, one, typed, wrong.problems)
    flash = Flash("warn", f"Saved. {address.warning}") if address.warning else Flash("ok", "Saved.")
    return answer(request, to=f"{list_url(desk)}/{endpoint_id}", flash=flash)


@post("/endpoints/{endpoint_id:uuid}/rotate")
async def rotate(desk: Desk, request: Request, endpoint_id: UUID) -> Response[Any]:
    """A new secret, shown in this answer alone; one that was made meanwhile is not made again."""
    form = await form_of(request)
    hours = form.text("overlap_hours")
    if not (hours.isascii() and hours.isdigit() and len(hours) < 5):
        raise Invalid([Problem("overlap_hours", "Choose how long the present secret stays valid.")])
    try:
        async with desk.transaction() as tx:
            secret = await rotate_secret(tx, endpoint_id, int(hours), newest=_id_of(form, "newest"))
            one = await endpoint(tx, endpoint_id)
    except Conflict as error:
        to = f"{list_url(desk)}/{endpoint_id}"
        return answer(request, to=to, flash=Flash("warn", error.detail))
    earlier = one.secrets[1:]
    ends_at = earlier[0].expires_at if earlier else None
    shown = SecretPage(*_place(desk, one), secret, rotated=True, ends_at=ends_at, earlier=len(earlier))
    return _secret_page(desk, shown)


@post("/endpoints/{endpoint_id:uuid}/pause")
async def pause(desk: Desk, request: Request, endpoint_id: UUID) -> Response[Any]:
    """It is not called until it is resumed."""
    flash = Flash("ok", "Paused. What it would be told waits here until you resume it.")
    try:
        async with desk.transaction() as tx:
            await pause_endpoint(tx, endpoint_id)
    except Conflict as error:
        flash = Flash("warn", error.detail)
    return answer(request, to=f"{list_url(desk)}/{endpoint_id}", flash=flash)


@post("/endpoints/{endpoint_id:uuid}/resume")
async def resume(desk: Desk, request: Request, endpoint_id: UUID) -> Response[Any]:
    """It is called again, also one that switched itself off; what was held goes."""
    async with desk.transaction() as tx:
        held = (await delivery_counts(tx, endpoint_id))["held"]
        await resume_endpoint(tx, endpoint_id)
    return answer(request, to=f"{list_url(desk)}/{endpoint_id}", flash=Flash("ok", _let_go(held)))


@post("/endpoints/{endpoint_id:uuid}/test")
async def test(desk: Desk, request: Request, endpoint_id: UUID) -> Response[Any]:
    """Call it with a test event, and go to where what comes of it is seen."""
    try:
        async with desk.transaction() as tx:
            made = await send_test(tx, endpoint_id)
    except Conflict as error:
        return answer(request, to=f"{list_url(desk)}/{endpoint_id}", flash=Flash("warn", error.detail))
    return answer(request, to=f"{list_url(desk)}/deliveries/{made}")


@post("/endpoints/{endpoint_id:uuid}/delete")
async def delete(desk: Desk, request: Request, endpoint_id: UUID) -> Response[Any]:
    """Delete it, once its name was typed, or its host."""
    form = await form_of(request)
    typed = form.text("host").strip()
    async with desk.transaction() as tx:
        shown = await deleting(tx, desk, endpoint_id)
        if typed.lower() not in (shown.name.lower(), shown.host.lower()):
            problem = Problem("host", f"Type {shown.name}, exactly, to delete this webhook.")
            mended = replace(shown, typed=typed, problems=(problem,))
            return page("webhooks/delete.html", status=422, shell=desk.shell(SECTION), page=mended)
        await delete_endpoint(tx, endpoint_id)
    flash = Flash("ok", f"{shown.name} is deleted. Nothing more is told there.")
    return answer(request, to=list_url(desk), flash=flash)


def _let_go(held: int) -> str:
    if not held:
        return "It is on. Nothing waited."
    one = held == 1
    return (
        f"It is on. {held:,} {'delivery' if one else 'deliveries'} that waited {'goes' if one else 'go'} now."
    )


async def _chosen(desk: Desk, preset: Preset | None, typed: Typed) -> Response[str]:
    """The form for another system, with the address and the name that were typed."""
    async with desk.transaction() as tx:
        taken = await names(tx)
    fresh = typed_for(preset, taken)
    ours = not typed.description or any(typed.description.startswith(one.name) for one in PRESETS)
    kept = replace(fresh, id=typed.id, url=typed.url)
    return new_page(desk, kept if ours else replace(kept, description=typed.description), preset)


async def _vetted(desk: Desk, form: Form, typed: Typed) -> Address:
    """The address as it may be kept. Raises Invalid with everything that is wrong with the form."""
    problems: list[Problem] = []
    if not typed.chosen:
        problems.append(Problem("events", "Choose at least one event, or everything."))
    if any(event not in CHOOSABLE for event in typed.events):
        problems.append(Problem("events", "There is no such event. Choose from the list."))
    for name, most in (("url", 2000), ("description", 200)):
        try:
            form.text(name, most=most)
        except Invalid as wrong:
            problems += wrong.problems
    try:
        address = await vet(typed.url, await policy(desk.database))
    except Invalid as wrong:
        rest = (one for one in problems if one.field != "url")
        raise Invalid([*wrong.problems, *rest]) from wrong
    if problems:
        raise Invalid(problems)
    return address


def _typed(form: Form, before: Typed) -> Typed:
    return replace(
        before,
        url=form.typed("url").strip(),
        description=form.typed("description").strip(),
        everything=form.typed("told") != "some",
        events=tuple(form.many("events")) if form.typed("told") == "some" else (),
    )


def _id_of(form: Form, name: str = "id") -> UUID:
    try:
        return UUID(form.text(name))
    except ValueError:
        return ids.new()


async def _known(desk: Desk, request: Request, endpoint_id: UUID, error: Conflict) -> Response[Any]:
    """The webhook that this form added before; or the list, when it was refused for another reason."""
    async with desk.transaction() as tx:
        try:
            to = f"{list_url(desk)}/{(await endpoint(tx, endpoint_id)).id}"
        except NotFound:
            to = list_url(desk)
    return answer(request, to=to, flash=Flash("warn", error.detail))


def _place(desk: Desk, one: Endpoint) -> tuple[str, str, str]:
    return list_url(desk), f"{list_url(desk)}/{one.id}", name_of(one)


def _secret_page(desk: Desk, shown: SecretPage) -> Response[str]:
    return page("webhooks/secret.html", headers=_ONCE, shell=desk.shell(SECTION), page=shown)


HANDLERS: tuple[Any, ...] = (add, change, rotate, pause, resume, test, delete)
