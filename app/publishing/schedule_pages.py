"""The pages of what waits for its time, and of what became of it."""

from dataclasses import dataclass
from uuid import UUID

from litestar import Response, get

from app.accounts import Desk
from app.answers import fragment, page
from app.audiences import AudienceSize, size
from app.base import clock
from app.base.database import Tx
from app.base.errors import GodwitError, Invalid, Problem
from app.base.zones import moment_of
from app.publishing.choosing import BAD_WALL, wall_time
from app.publishing.scheduling import why_not
from app.publishing.waiting import Scheduled, scheduled, scheduled_list
from app.publishing.wanted import wanted_again
from app.publishing.wording import when

_FRESH = {"Cache-Control": "no-store"}


@dataclass(frozen=True)
class ScheduledPage:
    """One scheduled publication; `wall` as typed; `will` get it by now, None when it is not mailed.

    `undo_seconds` a person has to take the email back who sends it now.
    `wrong`: why it could not go out if it were time now, '' for nothing known.
    """

    one: Scheduled
    will: int | None
    wrong: str
    url: str
    studio: str
    site_url: str
    wall: str
    undo_seconds: int
    problems: tuple[Problem, ...] = ()


@get("/scheduled")
async def scheduled_page(desk: Desk) -> Response[str]:
    """What waits, soonest first, and what became of the rest."""
    async with desk.transaction() as tx:
        listed = await scheduled_list(tx)
    return page(
        "publishing/scheduled_list.html",
        headers=_FRESH,
        shell=desk.shell("posts"),
        waiting=[one for one in listed if one.state == "waiting"],
        over=[one for one in listed if one.state != "waiting"],
    )


@get("/scheduled/{scheduled_id:uuid}")
async def one_scheduled(desk: Desk, scheduled_id: UUID) -> Response[str]:
    """One of them: when, where, who, and what can be done about it."""
    shown = await shown_scheduled(desk, scheduled_id)
    return page("publishing/scheduled.html", headers=_FRESH, shell=desk.shell("posts"), page=shown)


async def shown_scheduled(
    desk: Desk, scheduled_id: UUID, wall: str = "", problems: tuple[Problem, ...] = ()
) -> ScheduledPage:
    """What its page shows. Raises NotFound."""
    async with desk.transaction() as tx:
        one = await scheduled(tx, scheduled_id)
        audience, wrong = await _audience(tx, one)
    return ScheduledPage(
        one,
        audience.will if audience else None,
        wrong,
        desk.url(f"scheduled/{scheduled_id}"),
        desk.url(),
        desk.account.site_url,
        wall or one.wall,
        desk.account.undo_seconds,
        problems,
    )


async def _audience(tx: Tx, one: Scheduled) -> tuple[AudienceSize | None, str]:
    """Who would get it now, or why nobody can."""
    if one.email is None or one.state != "waiting":
        return None, ""
    try:
        wanted = await wanted_again(tx, one.email)
    except GodwitError as error:
        return None, error.detail
    found = await size(
        tx,
        wanted.newsletter.id,
        filter=wanted.segment.filter if wanted.segment else None,
        access=one.access,
        plan_id=one.plan_id,
    )
    return found, "" if found.will else "Nobody would get it: no reader in its audience may be mailed yet."


@get("/posts/{post_id:uuid}/publish/when")
async def when_line(desk: Desk, wall: str = "") -> Response[str]:
    """What a time that is being typed is elsewhere, and how far away."""
    zone = desk.account.zone
    told, wrong = None, ""
    try:
        told = when(moment_of(wall_time(wall), zone)) if wall else None
    except (Invalid, OverflowError):
        wrong = BAD_WALL
    if told and (refused := why_not(told.at, clock.now())):
        told, wrong = None, refused
    return fragment("publishing/_when.html", when=told, wrong=wrong, zone=zone)


HANDLERS: tuple = (scheduled_page, one_scheduled, when_line)
