"""Publications at a time to come: kept with the revision frozen now, and published by a job when it is time.

The instant is computed once, from the wall time in the publication's zone, and stored. The job that comes
then does what a press does, in one transaction with the end of the waiting; what cannot be done any more
(nobody to mail, address taken, newsletter gone) ends it as failed, with the reason, and the team is told.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from app.base import ids
from app.base.database import Tx
from app.base.errors import Conflict, Invalid, NotFound, Problem
from app.base.statements import sql
from app.base.zones import Moment
from app.jobs import enqueue, job
from app.posts import free_slug, freeze, frozen_revision, lock_post
from app.publishing.publications import (
    Order,
    Press,
    Publication,
    carry_out,
    other_post,
    refuse_nowhere,
    refuse_twice,
    refuse_waiting,
)
from app.publishing.states import ScheduledState
from app.publishing.wanted import stored, wanted_again, wanted_of

LATE = timedelta(minutes=10)
"""After its time, until somebody looks whether anything still tries to publish it."""
AHEAD = timedelta(days=731)
"""How far ahead something can be scheduled."""
_FIRST = "select id, post_id from scheduled where account_id = :account and key = :key"
_LOCK = """
select post_id, revision_id, at, site, slug, email, state, made_by, made_by_name,
       at <= godwit_now() as due
from scheduled where account_id = :account and id = :id for update
"""
_MOVE = """
update scheduled set at = :at, wall = :wall, zone = :zone
where account_id = :account and id = :id and state = 'waiting'
"""
_END = """
update scheduled set state = :state, release = :release, broadcast_id = :broadcast, ended_at = godwit_now()
where account_id = :account and id = :id and state = 'waiting'
"""
# The time is compared too: whoever moved it meanwhile has another job, which is not this one's to end.
_FAIL = """
update scheduled set state = 'failed', reason = :reason, ended_at = godwit_now()
where account_id = :account and id = :id and state = 'waiting' and at = :at
"""
_DUE = """
select at from scheduled
where account_id = :account and id = :id and state = 'waiting' and at <= godwit_now()
"""
# One that failed waits out its pause with its run_at ahead. One ahead that was never tried is of a time that
# is no more: what it was for has been brought forward, and is not kept waiting by it.
_AT_WORK = """
select exists (select from job where account_id = :account and queue = 'build' and kind = 'publish_scheduled'
               and state in ('ready', 'leased') and (run_at <= godwit_now() or attempts > 0)
               and args ->> 'scheduled_id' = :id)
"""
GONE = "There is no such scheduled publication."


@job("publish_scheduled", queue="build", tries=20)
@dataclass(frozen=True)
class PublishScheduled:
    """The time of a scheduled publication has come, unless it was changed meanwhile."""

    scheduled_id: UUID


@job("end_scheduled", queue="housekeeping", tries=20)
@dataclass(frozen=True)
class EndScheduled:
    """What should be out by now fails visibly when no job is left that would publish it."""

    scheduled_id: UUID


def why_not(at: datetime, now: datetime) -> str:
    """Why nothing can be scheduled for that time, as a sentence; '' when it can."""
    if at <= now:
        return "That time is past. Choose one to come, or publish now."
    return "That is more than two years ahead. Choose a nearer time." if at > now + AHEAD else ""


async def schedule(tx: Tx, press: Press, when: Moment) -> UUID:
    """Freeze the draft and have it published at that time; a second press gets the first one's answer.

    Raises as `publish`, for what is sure to be wrong by then; Invalid for a time that is past or too far.
    """
    await lock_post(tx, press.post_id)
    first = await tx.row(_FIRST, account=tx.account_id, key=press.key)
    if first is not None:
        if first.post_id != press.post_id:
            raise other_post()
        return first.id
    await refuse_waiting(tx, press.post_id)
    refuse_nowhere(press)
    await _refuse_time(tx, when)
    wanted = await wanted_of(tx, press.email)
    if wanted:
        await refuse_twice(tx, press.post_id, wanted)
    frozen = await freeze(tx, press.post_id, press.by, press.version)
    made = ids.new()
    await tx.execute(
        sql(__package__, "schedule"),
        account=tx.account_id,
        id=made,
        post=press.post_id,
        revision=frozen.id,
        key=press.key,
        site=press.site,
        slug=await free_slug(tx, press.post_id, frozen.slug) if press.site else None,
        email=stored(wanted) if wanted else None,
        by=press.by,
        by_name=press.by_name,
        **_columns(when),
    )
    await _wait(tx, made, when)
    return made


async def move_scheduled(tx: Tx, scheduled_id: UUID, when: Moment) -> None:
    """Another time. Raises NotFound, Conflict when it waits no longer, Invalid for the time."""
    await _waiting(tx, scheduled_id)
    await _refuse_time(tx, when)
    await tx.execute(_MOVE, account=tx.account_id, id=scheduled_id, **_columns(when))
    await _wait(tx, scheduled_id, when)


async def cancel_scheduled(tx: Tx, scheduled_id: UUID) -> None:
    """It is not published. Raises NotFound, Conflict when it waits no longer."""
    await _waiting(tx, scheduled_id)
    await _end(tx, scheduled_id, ScheduledState.CANCELLED)


async def publish_scheduled_now(tx: Tx, scheduled_id: UUID, shown: int | None = None) -> Publication:
    """Do not wait for its time. `shown` as for a press. Raises NotFound, Conflict, Invalid as `publish`.

    Whoever presses has the account's undo time in which to take the email back.
    """
    await _waiting(tx, scheduled_id)
    return await _publish(tx, scheduled_id, shown, pressed=True)


async def publish_due(tx: Tx, scheduled_id: UUID) -> Publication | None:
    """Publish it if it waits and its time has come; None otherwise: its own job comes then.

    Raises Invalid, Conflict or NotFound for what cannot be done any more: see `fail_scheduled`.
    """
    row = await tx.row(_LOCK, account=tx.account_id, id=scheduled_id)
    if row is None or row.state != ScheduledState.WAITING or not row.due:
        return None
    return await _publish(tx, scheduled_id)


async def due_since(tx: Tx, scheduled_id: UUID) -> datetime | None:
    """The time that it waits for, if that has come."""
    return await tx.value(_DUE, account=tx.account_id, id=scheduled_id)


async def is_at_work(tx: Tx, scheduled_id: UUID) -> bool:
    """Whether a job is there that would publish it now, in hand or to be tried again."""
    return await tx.value(_AT_WORK, account=tx.account_id, id=str(scheduled_id))


async def fail_scheduled(tx: Tx, scheduled_id: UUID, at: datetime, reason: str) -> bool:
    """It could not be published at that time, and why; False when it was ended or moved meanwhile."""
    return bool(await tx.execute(_FAIL, account=tx.account_id, id=scheduled_id, at=at, reason=reason))


async def _publish(
    tx: Tx, scheduled_id: UUID, shown: int | None = None, *, pressed: bool = False
) -> Publication:
    row = await tx.row(_LOCK, account=tx.account_id, id=scheduled_id)
    assert row is not None
    await lock_post(tx, row.post_id)
    wanted = await wanted_again(tx, row.email, shown) if row.email else None
    if wanted and pressed:
        wanted = replace(wanted, undo_seconds=None)
    order = Order(
        key=f"scheduled:{scheduled_id}",
        revision=await frozen_revision(tx, row.revision_id),
        site=row.site,
        wanted=wanted,
        slug=row.slug,
        by=row.made_by,
        by_name=row.made_by_name,
    )
    made = await carry_out(tx, order)
    await _end(tx, scheduled_id, ScheduledState.DONE, release=made.release, broadcast_id=made.broadcast_id)
    return made


async def _waiting(tx: Tx, scheduled_id: UUID) -> None:
    row = await tx.row(_LOCK, account=tx.account_id, id=scheduled_id)
    if row is None:
        raise NotFound(GONE)
    words = {"done": "is published already", "cancelled": "was cancelled", "failed": "failed already"}
    if row.state != ScheduledState.WAITING:
        raise Conflict(f"This {words[row.state]}. Nothing was changed.")


async def _end(
    tx: Tx,
    scheduled_id: UUID,
    state: ScheduledState,
    *,
    release: int | None = None,
    broadcast_id: UUID | None = None,
) -> int:
    return await tx.execute(
        _END,
        account=tx.account_id,
        id=scheduled_id,
        state=state.value,
        release=release,
        broadcast=broadcast_id,
    )


async def _wait(tx: Tx, scheduled_id: UUID, when: Moment) -> None:
    # Each time that was asked for has jobs of its own; of a time that was changed they find nothing due.
    await enqueue(tx, PublishScheduled(scheduled_id), run_at=when.at)
    await enqueue(tx, EndScheduled(scheduled_id), run_at=when.at + LATE)


async def _refuse_time(tx: Tx, when: Moment) -> None:
    if refused := why_not(when.at, await tx.value("select godwit_now()")):
        raise Invalid([Problem("at", refused)])


def _columns(when: Moment) -> dict[str, object]:
    return {"at": when.at, "zone": when.zone, "wall": when.wall.isoformat(timespec="minutes")}
