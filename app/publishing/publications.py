"""The one transaction that publishes: release, email, and the press that caused them.

A press has a key (the button's, or an Idempotency-Key). The post's row is locked first, so presses of one
post wait for each other, and a second press of the same button finds the first one's answer, also when both
arrive at one instant. Everything commits together or nothing does: no number is burnt, nobody is mailed.
"""

from dataclasses import dataclass
from uuid import UUID

from app.accounts import account_of
from app.audiences import AudienceSize, Segment, size
from app.base.database import Tx
from app.base.errors import Conflict, Invalid, Problem
from app.base.statements import sql
from app.broadcasts import NewBroadcast, mailed_before, start_broadcast
from app.posts import Release, Revision, freeze, lock_with_draft, publish_revision
from app.publishing.wanted import COUNT_MAY_CHANGE, CountChanged, Email, Wanted, wanted_of
from app.readers import Newsletter

_WAITS = "select id, wall, zone from scheduled where post_id = :post and state = 'waiting'"


@dataclass(frozen=True)
class Press:
    """One press of publish: of which post and version, where to, by whom."""

    key: str
    post_id: UUID
    site: bool
    email: Email | None
    version: int | None = None
    by: UUID | None = None
    by_name: str = ""


@dataclass(frozen=True)
class Order:
    """What is to go out: a frozen revision, to the site (at `slug` alone, if one was promised), by email."""

    key: str
    revision: Revision
    site: bool
    wanted: Wanted | None
    slug: str | None = None
    by: UUID | None = None
    by_name: str = ""


@dataclass(frozen=True)
class Publication:
    """What a press did. `release` None: not on the site; `broadcast_id` None: not mailed."""

    post_id: UUID
    release: int | None
    broadcast_id: UUID | None


async def publish(tx: Tx, press: Press) -> Publication:
    """Publish the draft to the site, by email, or both; a second press gets the first one's answer.

    Raises NotFound; StaleVersion when the draft is not the version that was pressed; Invalid when something
    stops it, nobody is in the audience or the number changed (CountChanged); Conflict when the newsletter has
    the post already and `again` is not asked for, or the post waits for its time. Then nothing has happened.
    """
    draft = await lock_with_draft(tx, press.post_id)
    first = await _first_answer(tx, press.key, press.post_id)
    if first is not None:
        return first
    refuse_nowhere(press)
    wanted = await wanted_of(tx, press.email)
    frozen = await freeze(tx, press.post_id, press.by, press.version, locked=draft)
    return await carry_out(tx, Order(press.key, frozen, press.site, wanted, None, press.by, press.by_name))


async def carry_out(tx: Tx, order: Order) -> Publication:
    """Make the release, start the email, remember the press. The post is locked. Raises as `publish`."""
    frozen, wanted = order.revision, order.wanted
    release = None
    if order.site:
        release = await publish_revision(tx, frozen, order.by, order.by_name, slug=order.slug)
    broadcast_id = await _mail(tx, order, wanted, release) if wanted else None
    made = Publication(frozen.post_id, release.number if release else None, broadcast_id)
    kept = await tx.value(
        sql(__package__, "remember"),
        account=tx.account_id,
        key=order.key,
        post=frozen.post_id,
        release=made.release,
        broadcast=made.broadcast_id,
    )
    if kept is None:
        raise other_post()
    return made


async def refuse_waiting(tx: Tx, post_id: UUID) -> None:
    """Raises Conflict when the post waits for its time: one waiting publication a post."""
    row = await tx.row(_WAITS, post=post_id)
    if row is not None:
        raise _waits(row.wall, row.zone)


def _waits(wall: str, zone: str) -> Conflict:
    return Conflict(
        f"This post is scheduled for {wall.replace('T', ' at ')}, {zone}. "
        "Publish that now, change its time, or cancel it first."
    )


def refuse_nowhere(press: Press) -> None:
    """Raises Invalid when neither site nor email is wanted."""
    if not press.site and press.email is None:
        raise Invalid([Problem("site", "Choose where it goes: the site, an email, or both.")])


async def refuse_twice(tx: Tx, post_id: UUID, wanted: Wanted) -> None:
    """Raises Conflict naming the email by which the newsletter has the post, unless `again` is asked for."""
    if wanted.again:
        return
    before = await mailed_before(tx, post_id, wanted.newsletter.id)
    if before is not None:
        raise Conflict(
            f"This post was mailed to {wanted.newsletter.name} already: email {before.id}, sent by "
            f"{before.by} at {before.at:%Y-%m-%d %H:%M} UTC. "
            "Nothing was sent. To mail everyone again, say so with again."
        )


async def _first_answer(tx: Tx, key: str, post_id: UUID) -> Publication | None:
    """What the first press answered; None when this is the first. Raises Conflict when the post waits."""
    row = await tx.row(sql(__package__, "pressed"), account=tx.account_id, key=key, post=post_id)
    if row is None:
        return None
    if row.post_id is None:
        raise _waits(row.wall, row.zone)
    if row.post_id != post_id:
        raise other_post()
    return Publication(row.post_id, row.release, row.broadcast_id)


async def _mail(tx: Tx, order: Order, wanted: Wanted, release: Release | None) -> UUID:
    frozen = order.revision
    await refuse_twice(tx, frozen.post_id, wanted)
    audience = await size(
        tx,
        wanted.newsletter.id,
        filter=wanted.segment.filter if wanted.segment else None,
        access=frozen.access,
        plan_id=frozen.plan_id,
    )
    _refuse_surprise(audience, wanted.shown, wanted.newsletter, wanted.segment)
    new = NewBroadcast(
        revision=frozen,
        newsletter=wanted.newsletter,
        release=release.number if release else None,
        subject=wanted.subject,
        preheader=wanted.preheader,
        again=wanted.again,
        pressed_by=order.by,
        pressed_by_name=order.by_name,
        audience=audience,
        segment=wanted.segment,
        undo_seconds=wanted.undo_seconds,
    )
    return await start_broadcast(tx, await account_of(tx), new)


def _refuse_surprise(
    audience: AudienceSize, shown: int | None, newsletter: Newsletter, segment: Segment | None
) -> None:
    if audience.will == 0:
        whose = f"the segment {segment.name} of {newsletter.name}" if segment else newsletter.name
        words = (
            f"Nobody would get it: {whose} has no reader who may be mailed. "
            "Nothing was published. Add readers first, or publish to the site alone."
        )
        raise Invalid([Problem("email", words)])
    if shown is not None and abs(audience.will - shown) > COUNT_MAY_CHANGE * shown:
        raise CountChanged(audience.will, shown)


def other_post() -> Conflict:
    """What is said to a key that was used for another post."""
    return Conflict("This key was used to publish another post. Use a new key for each press.")
