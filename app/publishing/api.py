"""Publishing by the API (contract.md)."""

from datetime import datetime
from hashlib import sha256
from typing import Annotated
from uuid import UUID

import msgspec
from litestar import post
from msgspec import Struct

from app.accounts import ApiCaller
from app.base import ids
from app.base.errors import Invalid, Problem
from app.base.zones import Moment, moment_at
from app.publishing.publications import Press, publish
from app.publishing.scheduling import schedule
from app.publishing.wanted import Email


class NewEmail(Struct, forbid_unknown_fields=True):
    """The email that is wanted; subject and preheader default to title and excerpt. `segment` is an id.

    `undo_seconds` pass before it begins, with `at` after that time.
    """

    newsletter: str | None = None
    subject: str | None = None
    preheader: str | None = None
    again: bool = False
    segment: str | None = None
    undo_seconds: Annotated[int, msgspec.Meta(ge=0, le=600)] = 0


class NewPublication(Struct, forbid_unknown_fields=True):
    """Where a post goes: to the site, by email, or both. `version`: only while the draft still has it.

    `at`: not now but then (RFC 3339), with the draft as it is now.
    """

    site: bool = False
    email: NewEmail | None = None
    at: str | None = None
    version: Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1)] | None = None


class PublicationItem(Struct):
    """What the press did; with `at` nothing yet but `scheduled`, the id of what waits."""

    release: int | None
    scheduled: str | None
    broadcast: str | None


@post("/posts/{post_id:uuid}/publish", status_code=202)
async def publish_post(caller: ApiCaller, post_id: UUID, data: NewPublication) -> PublicationItem:
    """Publish the draft to the site, by email, or both; the same Idempotency-Key gets the first answer."""
    key = sha256(caller.idempotency_key.encode()).hexdigest() if caller.idempotency_key else str(ids.new())
    press = Press(
        key=f"api:{key}",
        post_id=post_id,
        site=data.site,
        email=_email(data.email) if data.email else None,
        version=data.version,
        by_name=f"API key {caller.key_name}",
    )
    when = _when(data.at, caller.account.zone) if data.at is not None else None
    async with caller.transaction() as tx:
        if when:
            return PublicationItem(None, str(await schedule(tx, press, when)), None)
        made = await publish(tx, press)
    return PublicationItem(made.release, None, str(made.broadcast_id) if made.broadcast_id else None)


def _email(given: NewEmail) -> Email:
    return Email(
        given.newsletter,
        given.subject or "",
        given.preheader or "",
        given.again,
        undo_seconds=given.undo_seconds,
        segment=_segment(given.segment) if given.segment is not None else None,
    )


def _segment(given: str) -> UUID:
    try:
        return UUID(given)
    except ValueError as error:
        raise Invalid([Problem("email.segment", f"There is no segment {given!r}.")]) from error


def _when(given: str, zone: str) -> Moment:
    try:
        at = datetime.fromisoformat(given)
        if at.tzinfo is not None:
            return moment_at(at, zone)
    except (ValueError, OverflowError):
        pass
    raise Invalid(
        [Problem("at", f"at: {given!r} is no RFC 3339 time with an offset, such as 2027-05-03T09:00:00Z.")]
    )


HANDLERS: tuple = (publish_post,)
